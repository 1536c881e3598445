"""Whole runs: they learn, write what others read, and begin with what others wrote."""

import itertools
import json
from dataclasses import replace

import pytest
import torch

from crosslingua.bert import Bert
from crosslingua.embedders.loading import load_encoder
from crosslingua.encoders.pretraining import pretrain
from crosslingua.encoders.trainer import learning_rate, prefetched
from crosslingua.errors import ConfigError
from encoders.runs import SUMMED, report, run, same, weights
from encoders.tiny import settings


@pytest.mark.parametrize(
    ("objectives", "values", "ids", "terms"),
    [
        (["mlm"], {}, False, ["mlm"]),
        (["mlm", "tlm"], {}, True, ["mlm"]),
        (["mlm", "tlm"], SUMMED, False, ["mlm", "tlm"]),
        (["dict_mlm"], {}, True, ["dict_mlm"]),
        (["align_mlm"], {}, False, ["align_mlm"]),
        (["mlm", "tlm", "dwa"], SUMMED, False, ["mlm", "tlm", "dwa"]),
        (["mlm", "dwa"], SUMMED, False, ["mlm", "dwa"]),
    ],
)
def test_every_mixture_writes_its_folder(tiny_world, tmp_path, objectives, values, ids, terms):
    pretrain(run(tiny_world, tmp_path / "out", objectives, steps=2, **values))
    assert {path.name for path in (tmp_path / "out").iterdir()} == {
        "config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json", "special_tokens_map.json",
        "token_pairs.tsv", "training.json",
    }  # fmt: skip
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    config, told = json.loads((tmp_path / "out" / "config.json").read_text()), report(tmp_path / "out")
    assert config.get("lang2id") == ({"a": 0, "b": 1} if ids else None)
    assert config["type_vocab_size"] == (2 if ids else 1)
    assert list(told["loss_curve"]) == ["step", "loss", *terms]
    assert told["loss_curve"]["step"] == [1, 2]
    assert told["tokens"] > 0


@pytest.mark.parametrize(
    ("objectives", "values"), [(["mlm", "tlm"], {}), (["tlm", "dwa"], {"parallel": "summed"})]
)
def test_positions_of_pairs_begin_again_and_the_folder_says_so(tiny_world, tmp_path, objectives, values):
    for name, restart in (("again", True), ("on", False)):
        which = {"restart_positions": restart, **values}
        pretrain(run(tiny_world, tmp_path / name, objectives, steps=6, **which))
        told = json.loads((tmp_path / name / "config.json").read_text())
        assert told["restart_positions"] is restart
    assert not same(weights(tmp_path / "again"), weights(tmp_path / "on"))
    values = {"steps": 2, "init": tmp_path / "again"}
    pretrain(run(tiny_world, tmp_path / "later", ["mlm"], **values))
    pretrain(run(tiny_world, tmp_path / "same", ["mlm"], restart_positions=False, **values))
    assert same(weights(tmp_path / "later"), weights(tmp_path / "same"))  # text has none to begin again
    assert json.loads((tmp_path / "same" / "config.json").read_text())["restart_positions"] is True


def test_dict_mlm_is_for_two_languages(tiny_world, tmp_path):
    given = run(tiny_world, tmp_path / "out", ["dict_mlm"])
    text = {**given.text, "c": given.text["a"]}
    with pytest.raises(ConfigError, match=r"for two languages, not a, b, c: say language_ids=false"):
        replace(given, text=text)
    replace(given, text=text, settings=settings(language_ids="false"))


@pytest.mark.parametrize("norm", ["post", "pre"])
def test_transformers_loads_the_folder(tiny_world, tmp_path, norm):
    from transformers import AutoModel, AutoTokenizer

    pretrain(run(tiny_world, tmp_path / "out", ["mlm", "tlm"], norm=norm))
    tokenizer = AutoTokenizer.from_pretrained(tmp_path / "out")
    encoder, told = AutoModel.from_pretrained(
        tmp_path / "out", add_pooling_layer=False, output_loading_info=True
    )
    assert not told["missing_keys"]
    inputs = tokenizer("a b", return_tensors="pt")
    states = encoder(**inputs).last_hidden_state
    assert states.shape[2] == 16
    ours, _ = load_encoder(str(tmp_path / "out"))
    assert isinstance(ours, Bert)
    torch.testing.assert_close(ours(**inputs).last_hidden_state, states, atol=1e-5, rtol=1e-5)
    assert encoder.config.lang2id == {"a": 0, "b": 1}


def test_mlm_overfits_ten_sentences(tiny_world, tmp_path):
    (tmp_path / "ten.txt").write_text("\n".join((tiny_world / "a.txt").read_text().splitlines()[:10]) + "\n")
    values = {"steps": 300, "lr": 5e-3, "warmup": 30, "log_every": 10}
    job = run(tiny_world, tmp_path / "out", hidden=64, pack=False, batch_size=10, **values)
    pretrain(replace(job, text={"a": str(tmp_path / "ten.txt")}))
    losses = report(tmp_path / "out")["loss_curve"]["loss"]
    assert losses[0] > 3
    assert losses[-1] < 0.5


@pytest.mark.parametrize("norm", ["post", "pre"])
def test_cold_start_goes_on_from_a_folder(tiny_world, tmp_path, norm):
    pretrain(run(tiny_world, tmp_path / "first", steps=30, lr=5e-3, norm=norm))
    pretrain(run(tiny_world, tmp_path / "second", init=tmp_path / "first", steps=1, lr=1e-9))
    first, second = weights(tmp_path / "first"), weights(tmp_path / "second")
    assert all(torch.allclose(first[name], second[name], atol=1e-6) for name in first)
    losses = [report(tmp_path / name)["loss_curve"]["loss"][0] for name in ("first", "second")]
    assert losses[1] < losses[0]
    job = run(tiny_world, tmp_path / "third", init=tmp_path / "first", max_positions=128, max_length=100)
    with pytest.raises(ConfigError, match=r"max_length 100 is longer than .*\(64 tokens\)"):
        pretrain(job)


def test_language_ids_go_on_with_the_encoder_that_has_them(tiny_world, tmp_path):
    pretrain(run(tiny_world, tmp_path / "xlm", ["mlm", "tlm"], steps=1))
    job = run(tiny_world, tmp_path / "more", init=tmp_path / "xlm", steps=1)
    pretrain(job)
    assert report(tmp_path / "more")["language_ids"] == {"a": 0, "b": 1}
    turned = dict(reversed(job.text.items()))
    with pytest.raises(ConfigError, match="languages a, b: name the same"):
        pretrain(replace(job, text=turned, out=tmp_path / "third"))


def test_compiled_layers_learn_the_same(tiny_world, tmp_path, monkeypatch):
    """Traced as for a GPU, forward and backward, but without the minute that generating code takes."""
    compile_layer, compiled_layers = torch.nn.Module.compile, []

    def traced(layer, **options):
        compiled_layers.append(layer)
        compile_layer(layer, backend="aot_eager", **options)

    monkeypatch.setattr(torch.nn.Module, "compile", traced)
    curves = []
    for name, compiled in (("plain", False), ("compiled", True)):
        values = {"parallel": "summed", "dropout": 0.0, "steps": 4, "log_every": 1, "compile": compiled}
        pretrain(run(tiny_world, tmp_path / name, ["mlm", "tlm", "dwa"], **values))
        curves.append(report(tmp_path / name)["loss_curve"])
    assert curves[1]["loss"] == pytest.approx(curves[0]["loss"], rel=1e-5)
    assert len(compiled_layers) == settings().layers


def test_bitext_is_the_asked_share_of_a_languages_sentences(tiny_world, tmp_path):
    pretrain(run(tiny_world, tmp_path / "out", ["mlm", "tlm"], parallel_share=0.1, steps=1))
    counts = report(tmp_path / "out")["data"]
    assert (counts["sentences.a"], counts["pairs.a-b"]) == (120, 12)


def test_bitext_alone_names_the_languages(tiny_world, tmp_path):
    job = run(tiny_world, tmp_path / "out", ["tlm"], parallel="summed", language_ids="true")
    pretrain(replace(job, text={}))
    assert report(tmp_path / "out")["language_ids"] == {"a": 0, "b": 1}


def test_prefetched_items_keep_their_order():
    drawn = prefetched(itertools.count())
    assert list(itertools.islice(drawn, 50)) == list(range(50))
    drawn.close()


def test_schedule_by_hand():
    s = settings(steps=10, warmup=2, lr=1.0)
    assert [learning_rate(step, s) for step in (1, 2, 3, 10)] == pytest.approx([0.5, 1.0, 8 / 9, 1 / 9])
    assert learning_rate(9, settings(steps=10, warmup=2, lr=1.0, schedule="constant")) == 1.0


def test_without_dwa_as_many_pairs_are_an_instance(tiny_world, tmp_path):
    """Table 3 of xlm_align takes objectives away, not bitext."""
    pairs = len((tiny_world / "a.txt").read_text().splitlines())
    rows = {}
    for objectives in (["mlm", "tlm", "dwa"], ["mlm", "tlm"], ["mlm", "dwa"]):
        own = {"preset": "xlm_align", "pack": True, "steps": 1, "max_length": 64}
        pretrain(run(tiny_world, tmp_path / "-".join(objectives), objectives, **own))
        rows[tuple(objectives)] = report(tmp_path / "-".join(objectives))["data"]
    assert {counts["rows.bitext"] for counts in rows.values()} == {pairs}
    assert {counts["rows.text"] < pairs for counts in rows.values()} == {True}  # text is packed


def test_align_mlm_packs_its_bitext(tiny_world, tmp_path):
    pretrain(run(tiny_world, tmp_path / "out", ["mlm", "tlm"], parallel="summed", pack=True, steps=1))
    assert report(tmp_path / "out")["data"]["rows.bitext"] < report(tmp_path / "out")["data"]["pairs.a-b"]
