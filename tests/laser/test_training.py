"""Steps, decoder and training of LASER, and its command lines."""

import json
from dataclasses import asdict, replace

import numpy as np
import pytest
import torch
from torch import nn

from crosslingua.encoders import laser_training as laser
from crosslingua.encoders.data import Pieces
from crosslingua.encoders.laser_training import (
    LaserDecoder,
    Steps,
    read_directions,
    train_laser,
)
from crosslingua.errors import ConfigError, CrosslinguaError, InputError
from crosslingua.laser.model import LaserEncoder, load_laser
from crosslingua.laser.settings import LaserSettings
from crosslingua.settings import read, word
from laser.authors import CODES, AuthorsEncoder, write
from laser.toys import SMALL, write_bitext, write_tokenizer
from texts import written

END, PADDING = 2, 1
PAIRS = ("a-b", "a-c", "b-c")


@pytest.fixture
def pieces(tmp_path) -> Pieces:
    return Pieces(write_tokenizer(tmp_path / "tokenizer"))


@pytest.fixture
def files(tmp_path):
    sizes = {("a", "b"): 60, ("c", "a"): 40}
    return {pair: write_bitext(tmp_path, "-".join(pair), slice(0, n)) for pair, n in sizes.items()}


def test_an_epoch_takes_every_pair_of_every_direction_once(files, pieces):
    directions = read_directions(files, ["a", "b"], pieces, 100)
    found = [(d.source, d.pivot, d.language, len(d.rows)) for d in directions]
    assert found == [("a", "b", 1, 60), ("b", "a", 0, 60), ("c", "a", 0, 40)]
    steps = Steps(directions, pieces.specials, replace(SMALL, batch_tokens=30, accumulate=4), seed=1)
    epoch = steps.epoch(0)
    plans = [plan for step in epoch for plan in step]
    assert {len(step) for step in epoch[:-1]} == {4}
    for number, direction in enumerate(directions):
        rows = np.concatenate([plan.rows for plan in plans if plan.direction == number])
        assert sorted(rows) == list(range(len(direction.rows)))
    for plan in plans:
        direction = directions[plan.direction]
        lengths = np.stack([direction.sources.lengths, direction.targets.lengths], axis=1)[plan.rows]
        assert lengths.max() * len(plan.rows) <= 30
        assert np.ptp(lengths[:, 0]) <= 1
    numbers = [plan.direction for plan in plans]
    assert numbers != sorted(numbers)  # directions are mixed


def test_a_batch_holds_the_subwords_of_its_lines(tmp_path, pieces):
    paths = written(tmp_path / "x", "a5 a6 a7\na8\n"), written(tmp_path / "y", "b5\nb6 b7\n")
    (direction,) = read_directions({("a", "b"): tuple(map(str, paths))}, ["b"], pieces, 100)
    batch = laser.make_batch(direction, np.array([1, 0]), pieces.specials)
    a, b = pieces.vocabulary["a5"], pieces.vocabulary["b5"]
    assert batch.source.tolist() == [[a + 3, END, PADDING, PADDING], [a, a + 1, a + 2, END]]
    assert batch.previous[0].tolist() == [END, b + 1, b + 2]
    assert batch.previous[1, :2].tolist() == [END, b]
    assert batch.following.tolist() == [b + 1, b + 2, END, b, END]
    assert (batch.lengths.tolist(), batch.target_lengths.tolist(), batch.language) == ([2, 4], [3, 2], 0)


def test_epochs_differ_and_repeat_by_seed(files, pieces):
    directions = read_directions(files, ["a", "b"], pieces, 100)

    def order(seed, epoch):
        steps = Steps(directions, pieces.specials, SMALL, seed).epoch(epoch)
        return [plan.rows.tolist() for step in steps for plan in step]

    assert order(1, 0) == order(1, 0)
    assert order(1, 0) not in (order(1, 1), order(2, 0))


@pytest.mark.parametrize("start", [0, 3, 11, 12, 25])
def test_a_run_can_go_on_anywhere(files, pieces, start):
    directions = read_directions(files, ["a", "b"], pieces, 100)
    steps = Steps(directions, pieces.specials, replace(SMALL, batch_tokens=60), seed=1)
    whole = list(steps.since(0))
    assert len(whole) == steps.number > 25
    rest = list(steps.since(start))
    assert len(rest) == len(whole) - start
    for one, other in zip(whole[start:], rest, strict=True):
        assert one[0].source.tolist() == other[0].source.tolist()


def test_long_and_empty_pairs_are_left_out_and_told(tmp_path, pieces, caplog):
    paths = written(tmp_path / "x", "a0 a1 a2\na3\n\na4\n"), written(tmp_path / "y", "b0\nb1 b2\nb3\nb4\n")
    files = {("a", "b"): tuple(map(str, paths))}
    (direction,) = read_directions(files, ["b"], pieces, max_length=3)
    assert direction.rows.tolist() == [1, 3]
    assert "bitext a-b: 2 pairs" in caplog.text
    with pytest.raises(ConfigError, match="no pair of 1 to 0 subwords"):
        read_directions({("a", "b"): (str(paths[0]), str(paths[0]))}, ["b"], pieces, max_length=1)


def test_bitext_and_pivots_must_fit(files, pieces):
    with pytest.raises(ConfigError, match=r"c-a: one of two languages must be a pivot \(b\)"):
        read_directions(files, ["b"], pieces, 100)
    with pytest.raises(ConfigError, match="pivot d: no bitext"):
        read_directions(files, ["a", "d"], pieces, 100)
    with pytest.raises(ConfigError, match="name each once"):
        read_directions(files, ["a", "a"], pieces, 100)


@pytest.fixture
def decoder() -> LaserDecoder:
    torch.manual_seed(2)
    sizes = {"decoder_embedding_size": 4, "decoder_hidden_size": 5, "decoder_output_size": 7}
    return LaserDecoder(10, PADDING, 6, 2, LaserSettings(language_size=3, **sizes))


def by_hand(decoder, previous, sentence, language):
    """Step by step with a cell, as in the paper's figure 1."""
    cell = nn.LSTMCell(4 + 6 + 3, 5)
    with torch.no_grad():
        for name, weight in decoder.lstm.named_parameters():
            getattr(cell, name.removesuffix("_l0")).copy_(weight)
        initial = decoder.initial.weight @ sentence + decoder.initial.bias
        hidden, memory = initial[None, :5], initial[None, 5:]
        logits = []
        for subword in previous:
            step = torch.cat([decoder.embedding.weight[subword], sentence, decoder.language.weight[language]])
            hidden, memory = cell(step[None], (hidden, memory))
            narrow = decoder.bottleneck.weight @ hidden[0] + decoder.bottleneck.bias
            logits.append(decoder.output.weight @ narrow + decoder.output.bias)
    return torch.stack(logits)


@pytest.mark.parametrize("language", [0, 1])
def test_equals_a_cell_run_step_by_step(decoder, language):
    previous = torch.tensor([[END, 5, 6, 7], [END, 8, PADDING, PADDING]])
    sentences = torch.randn(2, 6)
    logits = decoder(previous, torch.tensor([4, 2]), sentences, language)
    rows = zip((previous[0], previous[1, :2]), sentences, strict=True)
    expected = torch.cat([by_hand(decoder, row, sentence, language) for row, sentence in rows])
    torch.testing.assert_close(logits, expected, atol=1e-6, rtol=0)


def test_the_gradient_reaches_every_weight_of_the_encoder(decoder):
    encoder = LaserEncoder(10, PADDING, embedding_size=4, hidden_size=3, layers=2)
    for parameter in encoder.parameters():
        nn.init.normal_(parameter)  # large enough for maxima at every time
    translator = laser.Translator(encoder, decoder)
    source, previous = [[5, 6, END], [7, END, PADDING]], [[END, 8], [END, 9]]
    tensors = map(torch.tensor, (source, [3, 2], previous, [2, 2], [8, END, 9, END]))
    translator(laser.TranslationBatch(*tensors, language=1)).backward()
    for name, parameter in encoder.named_parameters():
        assert parameter.grad is not None, name
        assert parameter.grad.any(), name
    assert decoder.language.weight.grad.any(1).tolist() == [False, True]


def test_loss_is_the_sum_over_target_subwords(decoder):
    encoder = LaserEncoder(10, PADDING, embedding_size=4, hidden_size=3, layers=2).eval()
    tensors = map(torch.tensor, ([[5, 6, END]], [3], [[END, 8]], [2], [8, END]))
    batch = laser.TranslationBatch(*tensors, language=0)
    with torch.no_grad():
        logits = by_hand(decoder, [END, 8], encoder(batch.source, batch.lengths)[0], 0)
        expected = -(logits.log_softmax(1)[0, 8] + logits.log_softmax(1)[1, END])
        torch.testing.assert_close(laser.Translator(encoder, decoder)(batch), expected)


def make_run(folder, settings=SMALL, sentences=150, **changes) -> laser.LaserRun:
    bitext = {tuple(pair.split("-")): write_bitext(folder, pair, slice(0, sentences)) for pair in PAIRS}
    values = {"bitext": bitext, "pivots": ["a", "b"], "tokenizer": write_tokenizer(folder / "tokenizer")}
    return laser.LaserRun(**{**values, "settings": settings, "out": folder / "laser", **changes})


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

    step, taken = laser.LaserTrainer.step, []

    def mortal(trainer, batches):
        taken.append(trainer.done)
        if len(taken) == 11:
            raise InterruptedError
        return step(trainer, batches)

    monkeypatch.setattr(laser.LaserTrainer, "step", mortal)
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


@pytest.mark.parametrize(("changed", "message"), [
    ({"lr": 1e39, "checkpoint_every": 1}, r"step 1: the update made weights of \S+ infinite.*smaller lr"),
    ({"lr": 1e30}, r"step \d+: the loss is nan.*smaller lr than 1e\+30"),
])  # fmt: skip
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
    trained = load_laser(tmp_path / "laser")
    readings = trained.read([["a1", "unheard", "", "b2"], ["a1"]])
    ids, lengths = trained.batch(readings, np.arange(2))
    assert readings.words.padded(np.arange(2), -1).tolist() == [[0, 1, 2, 3, -1], [0, -1, -1, -1, -1]]
    assert ids[0, 1:3].tolist() == [3, 3]  # every word keeps a subword
    assert [state.shape for state in trained.encoder.layer_outputs(ids, lengths)] == [(2, 5, 32)] * 2
    sentences = [["a1"] * n for n in (3, 1, 7, 2)]
    together = torch.from_numpy(trained.embed(sentences, batch_tokens=8))
    alone = torch.from_numpy(trained.embed(sentences[2:3]))
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


def test_train_laser(script, tmp_path):
    files = ",".join(write_bitext(tmp_path, "a-b", slice(0, 50)))
    write_tokenizer(tmp_path / "tokenizer")
    small = [f"{name}={word(value)}" for name, value in asdict(replace(SMALL, epochs=1)).items()]
    options = ["--pivots", "a", "b", "--tokenizer", "tokenizer", "--set", *small]
    options += ["--test", f"a-b={files}", "--out", "laser"]
    script("train_laser.py", "--bitext", f"a-b={files}", *options)
    training = json.loads((tmp_path / "laser" / "training.json").read_text())
    assert training["settings"]["layers"] == 2
    assert training["similarity_search"]["a-b"]["sentences"] == 50
    assert load_laser(tmp_path / "laser").encoder.size == 32
    done = script("train_laser.py", "--bitext", "a-b=one", *options, status=1)
    assert done.stderr == "error: bitext 'a-b=one': write each pair once, as A-B=FILE,FILE\n"


def test_import_laser(script, tmp_path):
    write(tmp_path / "bilstm.pt", AuthorsEncoder())
    (tmp_path / "codes").write_text(CODES)
    script("import_laser.py", "--checkpoint", "bilstm.pt", "--codes", "codes", "--out", "laser")
    assert load_laser(tmp_path / "laser").read([["LOW", "b"]]).ids.values.tolist() == [4, 5, 3, 2]
