import json
from dataclasses import replace

import numpy as np
import pytest
import torch

from crosslingua.encoders.laser import LaserRun, LaserSettings, LaserTrainer, train_laser
from crosslingua.errors import ConfigError, CrosslinguaError, InputError
from crosslingua.laser.laser import load_laser
from crosslingua.settings import read
from encoders.laser.toys import SMALL, write_bitext, write_tokenizer

PAIRS = ("a-b", "a-c", "b-c")


def make_run(folder, settings=SMALL, sentences=150, **changes) -> LaserRun:
    bitext = {tuple(pair.split("-")): write_bitext(folder, pair, slice(0, sentences)) for pair in PAIRS}
    values = {"bitext": bitext, "pivots": ["a", "b"], "tokenizer": write_tokenizer(folder / "tokenizer")}
    return LaserRun(**{**values, "settings": settings, "out": folder / "laser", **changes})


def report(folder):
    return json.loads((folder / "laser" / "training.json").read_text())


def test_translations_become_the_nearest_sentences(tmp_path):
    """The languages share few words, and `c` turns their order; test sentences are new."""
    test = {tuple(pair.split("-")): write_bitext(tmp_path, pair, slice(1200, 1300)) for pair in PAIRS}
    settings = replace(SMALL, lr=0.02, batch_tokens=100, epochs=2)
    train_laser(make_run(tmp_path, settings, sentences=1200, test=test))
    training = report(tmp_path)
    losses = training["loss_curve"]["loss"]
    assert losses[-1] < 0.5 * losses[0]
    assert training["steps"] == training["loss_curve"]["step"][-1]
    assert training["pairs"] == dict.fromkeys(("a-b", "b-a", "c-a", "c-b"), 1200)
    assert set(training["similarity_search"]) == set(PAIRS)
    for found in training["similarity_search"].values():
        assert min(found["forward"], found["backward"]) > 30  # chance: 1


def test_a_killed_run_ends_in_the_same_bytes(tmp_path, monkeypatch, caplog):
    settings = replace(SMALL, dropout=0.2, checkpoint_every=4, epochs=2)
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    for folder in (whole, killed):
        folder.mkdir()
    train_laser(make_run(whole, settings))

    step, taken = LaserTrainer.step, []

    def mortal(trainer, batches):
        taken.append(trainer.done)
        if len(taken) == 11:
            raise InterruptedError
        return step(trainer, batches)

    monkeypatch.setattr(LaserTrainer, "step", mortal)
    with pytest.raises(InterruptedError):
        train_laser(make_run(killed, settings))
    assert not (killed / "laser").exists()
    taken.append(-1)
    train_laser(make_run(killed, settings))
    assert taken[12] == 8  # the last multiple of 4 below 10
    weights = [(folder / "laser" / "model.safetensors").read_bytes() for folder in (whole, killed)]
    assert weights[0] == weights[1]
    assert report(whole)["loss_curve"] == report(killed)["loss_curve"]
    assert not (killed / "laser.checkpoint").exists()


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"lr": 1e39, "checkpoint_every": 1}, r"step 1: the update made weights of \S+ infinite.*smaller lr"),
        ({"lr": 1e30}, r"step \d+: the loss is nan.*smaller lr than 1e\+30"),
    ],
)
def test_what_is_no_number_names_the_step_and_is_not_saved(tmp_path, changed, message):
    with pytest.raises(CrosslinguaError, match=message):
        train_laser(make_run(tmp_path, replace(SMALL, **changed)))
    assert not (tmp_path / "laser").exists()
    assert not (tmp_path / "laser.checkpoint").exists()


def test_the_seed_decides(tmp_path):
    weights = []
    for seed in (1, 1, 2):
        train_laser(make_run(tmp_path, replace(SMALL, epochs=1), seed=seed))
        weights.append((tmp_path / "laser" / "model.safetensors").read_bytes())
    assert weights[0] == weights[1] != weights[2]


def test_dropout_follows_seed_and_step(tmp_path, monkeypatch):
    """A CPU's generator sees 32 bits of what it is given."""
    given, drawn = torch.manual_seed, []

    def listening(seed):
        generator = given(seed)
        drawn.append(torch.rand(4, generator=torch.Generator().manual_seed(seed)).tolist())
        return generator

    monkeypatch.setattr(torch, "manual_seed", listening)
    for seed in (1, 2):
        train_laser(make_run(tmp_path, replace(SMALL, dropout=0.1, epochs=1), seed=seed))
    assert len(drawn) > 4
    assert len({tuple(numbers) for numbers in drawn}) == len(drawn)


def test_accumulated_batches_are_one_step(tmp_path):
    """The loss of a step is the mean over its subwords, however they are divided into batches."""
    curves = []
    for size, accumulate in ((100_000, 4), (300, 1000)):
        settings = replace(SMALL, batch_tokens=size, accumulate=accumulate, epochs=3, log_every=1)
        train_laser(make_run(tmp_path, settings))
        assert report(tmp_path)["steps"] == 3
        curves.append(report(tmp_path)["loss_curve"]["loss"])
    assert curves[0] == pytest.approx(curves[1], rel=1e-4)


def test_the_folder_embeds_words_and_sentences(tmp_path):
    train_laser(make_run(tmp_path, replace(SMALL, epochs=1)))
    laser = load_laser(tmp_path / "laser")
    readings = laser.read([["a1", "unheard", "", "b2"], ["a1"]])
    ids, lengths = laser.batch(readings, np.arange(2))
    assert readings.words.padded(np.arange(2), -1).tolist() == [[0, 1, 2, 3, -1], [0, -1, -1, -1, -1]]
    assert ids[0, 1:3].tolist() == [3, 3]  # every word keeps a subword
    states = laser.encoder.layer_outputs(ids, lengths)
    assert [state.shape for state in states] == [(2, 5, 32)] * 2
    sentences = [["a1"] * n for n in (3, 1, 7, 2)]
    together = torch.from_numpy(laser.embed(sentences, batch_tokens=8))
    alone = torch.from_numpy(laser.embed(sentences[2:3]))
    torch.testing.assert_close(together[2:3], alone, atol=1e-6, rtol=0)


def test_damaged_folders_are_refused(tmp_path):
    train_laser(make_run(tmp_path, replace(SMALL, epochs=1)))
    folder = tmp_path / "laser"
    weights = (folder / "model.safetensors").read_bytes()
    (folder / "model.safetensors").write_bytes(weights[:-9])
    with pytest.raises(InputError, match=r"model.safetensors: truncated or damaged"):
        load_laser(folder)
    (folder / "model.safetensors").unlink()
    with pytest.raises(InputError, match=r"model.safetensors: no such file"):
        load_laser(folder)
    (folder / "config.json").write_text('{"model_type": "roberta"}')
    with pytest.raises(InputError, match="is not of model_type 'laser'"):
        load_laser(folder)


def test_settings():
    assert read(LaserSettings, "LASER", ["layers=2", "lr=1e-2"]) == LaserSettings(layers=2, lr=0.01)
    for bad in ("layers=0", "layers=2.5", "lr=-1", "dropout=1", "device=tpu"):
        with pytest.raises(ConfigError, match=bad):
            read(LaserSettings, "LASER", [bad])


def test_published_defaults():
    """Artetxe and Schwenk 2019, section 3: 5 layers of 512 a direction, decoder 2048, language 32, Adam 0.001."""
    settings = LaserSettings()
    assert (settings.layers, settings.hidden_size, settings.embedding_size) == (5, 512, 320)
    assert (settings.decoder_hidden_size, settings.language_size) == (2048, 32)
    assert (settings.lr, settings.dropout, settings.epochs) == (0.001, 0.1, 17)
    assert settings.batch_tokens * settings.accumulate == 128_000
