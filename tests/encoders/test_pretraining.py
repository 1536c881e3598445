"""Whole runs of pre-training: learnt, resumed after a kill, in several processes, logged, refused."""

import itertools
import logging
import os
import signal
import socket
from dataclasses import replace

import pytest
import torch

from crosslingua.embedders.loading import load_encoder
from crosslingua.encoders.data import Pieces
from crosslingua.encoders.pretraining import learnt, pretrain
from crosslingua.encoders.trainer import check, learning_rate, prefetched, processes
from crosslingua.errors import ConfigError, CrosslinguaError, InputError
from crosslingua.io.json import read_json, write_json
from crosslingua.nn.bert import Bert
from encoders.runs import SUMMED, exit_codes, killed_after, report, run, same, weights
from encoders.tiny import settings


@pytest.mark.parametrize(("objectives", "values", "ids", "terms"), [
    (["mlm"], {}, False, ["mlm"]), (["mlm", "tlm"], {}, True, ["mlm"]),
    (["mlm", "tlm"], SUMMED, False, ["mlm", "tlm"]), (["dict_mlm"], {}, True, ["dict_mlm"]),
    (["align_mlm"], {}, False, ["align_mlm"]),
    (["mlm", "tlm", "dwa"], SUMMED, False, ["mlm", "tlm", "dwa"]),
    (["mlm", "dwa"], SUMMED, False, ["mlm", "dwa"]),
])  # fmt: skip
def test_every_mixture_writes_its_folder(tiny_world, tmp_path, objectives, values, ids, terms):
    pretrain(run(tiny_world, tmp_path / "out", objectives, steps=2, **values))
    assert {path.name for path in (tmp_path / "out").iterdir()} == {
        "config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json", "special_tokens_map.json",
        "token_pairs.tsv", "training.json",
    }  # fmt: skip
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    config, told = read_json(tmp_path / "out" / "config.json"), report(tmp_path / "out")
    languages = ({"a": 0, "b": 1}, 2) if ids else (None, 1)
    assert (config.get("lang2id"), config["type_vocab_size"]) == languages
    assert list(told["loss_curve"]) == ["step", "loss", *terms]
    assert told["loss_curve"]["step"] == [1, 2]
    assert told["tokens"] > 0


def test_a_run_says_whether_it_learnt_more_than_frequencies(tiny_world, tmp_path, caplog):
    pretrain(run(tiny_world, tmp_path / "out", ["mlm"], steps=2))
    entropy = report(tmp_path / "out")["data"]["entropy.pieces.text"]
    assert f"a table of pieces gives {entropy:.2f}" in caplog.text
    assert "it has learnt less than the frequencies of pieces. Train longer" in caplog.text
    counts = {"entropy.pieces.text": 6.0, "entropy.bigrams.text": 4.0, "entropy.pieces.bitext": 5.0}
    curve = {"mlm": [9.0, 5.5], "tlm": [3.0], "dwa": [2.0]}  # no bigrams of bitext are known
    told = "mlm ends at 5.50 nats a piece; a table of pieces gives 6.00, of pairs 4.00"
    assert list(learnt(curve, counts)) == [(logging.INFO, told)]


@pytest.mark.parametrize(("objectives", "parallel"), [(["mlm", "tlm"], "mixed"), (["tlm", "dwa"], "summed")])
def test_positions_of_pairs_begin_again_and_the_folder_says_so(tiny_world, tmp_path, objectives, parallel):
    for name, restart in (("again", True), ("on", False)):
        which = {"restart_positions": restart, "parallel": parallel}
        pretrain(run(tiny_world, tmp_path / name, objectives, **which))
        assert read_json(tmp_path / name / "config.json")["restart_positions"] is restart
    assert not same(weights(tmp_path / "again"), weights(tmp_path / "on"))
    values = {"steps": 2, "init": tmp_path / "again"}
    pretrain(run(tiny_world, tmp_path / "later", ["mlm"], **values))
    pretrain(run(tiny_world, tmp_path / "same", ["mlm"], restart_positions=False, **values))
    assert same(weights(tmp_path / "later"), weights(tmp_path / "same"))  # text has none to begin again
    assert read_json(tmp_path / "same" / "config.json")["restart_positions"] is True


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
    options = {"add_pooling_layer": False, "output_loading_info": True}
    encoder, told = AutoModel.from_pretrained(tmp_path / "out", **options)
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
    assert losses[0] > 3 > 0.5 > losses[-1]


@pytest.mark.parametrize("norm", ["post", "pre"])
def test_cold_start_goes_on_from_a_folder(tiny_world, tmp_path, norm):
    pretrain(run(tiny_world, tmp_path / "first", steps=30, lr=5e-3, norm=norm))
    pretrain(run(tiny_world, tmp_path / "second", init=tmp_path / "first", steps=1, lr=1e-9))
    first, second = weights(tmp_path / "first"), weights(tmp_path / "second")
    assert all(torch.allclose(first[name], second[name], atol=1e-6) for name in first)
    losses = [report(tmp_path / name)["loss_curve"]["loss"][0] for name in ("first", "second")]
    assert losses[1] < losses[0]
    job = run(tiny_world, tmp_path / "third", init=tmp_path / "first", max_positions=128, max_length=100)
    with pytest.raises(ConfigError, match=r"max_length 100 is longer than .* reads: set at most 64"):
        pretrain(job)


def test_the_head_learns_alone(tiny_world, tmp_path):
    pretrain(run(tiny_world, tmp_path / "first"))
    pretrain(run(tiny_world, tmp_path / "head", init=tmp_path / "first", trained="head", lr=1e-2, steps=30))
    before, after = weights(tmp_path / "first"), weights(tmp_path / "head")
    changed = {name for name in before if not torch.equal(before[name], after[name])}
    assert {name.partition(".")[0] for name in changed} == {"lm_head"}
    assert (
        report(tmp_path / "head")["loss_curve"]["loss"][-1]
        < report(tmp_path / "first")["loss_curve"]["loss"][-1]
    )


def test_the_last_layers_begin_anew(tiny_world, tmp_path):
    pretrain(run(tiny_world, tmp_path / "first", steps=30, lr=1e-2))
    made = run(tiny_world, tmp_path / "out", init=tmp_path / "first", fresh_layers=1, seed=2)
    model, _ = made.architecture.build(made, Pieces(made.tokenizer))
    drawn, _ = run(tiny_world, tmp_path / "new", seed=2).architecture.build(
        run(tiny_world, tmp_path / "new", seed=2), Pieces(made.tokenizer)
    )
    old = weights(tmp_path / "first")
    own = dict(model.bert.encoder["layer"].named_parameters())
    new = dict(drawn.bert.encoder["layer"].named_parameters())
    assert len(own) == 32
    for name, value in own.items():
        expected = new[name] if name.startswith("1.") else old[f"roberta.encoder.layer.{name}"]
        assert torch.equal(value, expected), name
    with pytest.raises(ConfigError, match="has 2 layers"):
        bad = run(tiny_world, tmp_path / "out", init=tmp_path / "first", fresh_layers=3)
        bad.architecture.build(bad, Pieces(bad.tokenizer))


def test_the_first_layers_stay(tiny_world, tmp_path):
    pretrain(run(tiny_world, tmp_path / "first"))
    made = run(tiny_world, tmp_path / "out", init=tmp_path / "first", kept_layers=1)
    model, config = made.architecture.build(made, Pieces(made.tokenizer))
    assert (len(model.layers), config["num_hidden_layers"]) == (1, 1)
    old = weights(tmp_path / "first")
    for name, value in model.bert.encoder["layer"].named_parameters():
        assert torch.equal(value, old[f"roberta.encoder.layer.{name}"]), name
    with pytest.raises(ConfigError, match="has 2 layers"):
        bad = run(tiny_world, tmp_path / "out", init=tmp_path / "first", kept_layers=3)
        bad.architecture.build(bad, Pieces(bad.tokenizer))


def test_copied_pieces_learn_at_their_own_rate(tiny_world, tmp_path):
    name, last = "roberta.embeddings.word_embeddings.weight", slice(-5, None)
    pretrain(run(tiny_world, tmp_path / "first"))
    with pytest.raises(ConfigError, match="no encoder with copied pieces"):
        pretrain(run(tiny_world, tmp_path / "out", init=tmp_path / "first", copies_rate=8.0))
    config = read_json(tmp_path / "first" / "config.json")
    write_json(tmp_path / "first" / "config.json", config | {"copied_pieces": 5})
    changes = {}
    for rate in (1.0, 8.0):
        out = tmp_path / f"rate{rate}"
        pretrain(run(tiny_world, out, init=tmp_path / "first", copies_rate=rate, steps=1))
        changes[rate] = weights(out)[name] - weights(tmp_path / "first")[name]
    assert changes[1.0][last].any()
    torch.testing.assert_close(changes[8.0][last], 8 * changes[1.0][last], rtol=1e-3, atol=1e-6)
    assert torch.equal(changes[8.0][:-5], changes[1.0][:-5])


def test_language_ids_go_on_with_the_encoder_that_has_them(tiny_world, tmp_path):
    pretrain(run(tiny_world, tmp_path / "xlm", ["mlm", "tlm"], steps=1))
    job = run(tiny_world, tmp_path / "more", init=tmp_path / "xlm", steps=1)
    pretrain(job)
    assert report(tmp_path / "more")["language_ids"] == {"a": 0, "b": 1}
    with pytest.raises(ConfigError, match="languages a, b: name the same"):
        pretrain(replace(job, text=dict(reversed(job.text.items())), out=tmp_path / "third"))


@pytest.mark.slow
def test_compiled_layers_learn_the_same(tiny_world, tmp_path, monkeypatch):
    """Traced as for a GPU, forward and backward, but without the minute that generating code takes."""
    compile_layer, compiled_layers = torch.nn.Module.compile, []

    def traced(layer, **options):
        compiled_layers.append(layer)
        compile_layer(layer, backend="aot_eager", **options)

    monkeypatch.setattr(torch.nn.Module, "compile", traced)
    curves = []
    for name, compiled in (("plain", False), ("compiled", True)):
        values = {"parallel": "summed", "steps": 4, "compile": compiled}
        pretrain(run(tiny_world, tmp_path / name, ["mlm", "tlm", "dwa"], **values))
        curves.append(report(tmp_path / name)["loss_curve"]["loss"])
    assert curves[1] == pytest.approx(curves[0], rel=1e-5)
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


def test_a_seed_gives_its_bytes(tiny_world, tmp_path):
    for name, seed in (("one", 1), ("again", 1), ("two", 2)):
        pretrain(run(tiny_world, tmp_path / name, ["align_mlm"], seed=seed, dropout=0.1))
    files = [(tmp_path / name / "model.safetensors").read_bytes() for name in ("one", "again", "two")]
    assert files[0] == files[1] != files[2]


@pytest.mark.parametrize("objectives", [["mlm"], ["mlm", "tlm", "dwa"]])
def test_killed_and_run_again_to_the_same_bits(tiny_world, tmp_path, objectives):
    values = {"steps": 11, "checkpoint_every": 4, "dropout": 0.1, "log_every": 3, "parallel": "summed"}
    values |= {"batch_size": 30}  # an epoch ends on the way
    pretrain(run(tiny_world, tmp_path / "whole", objectives, **values))
    job = run(tiny_world, tmp_path / "killed", objectives, **values)
    assert exit_codes([(killed_after, 9, job)]) == [-signal.SIGKILL]
    assert not (tmp_path / "killed").exists()
    assert torch.load(tmp_path / "killed.checkpoint" / "state.pt")["step"] == 8
    pretrain(job)
    assert same(weights(tmp_path / "killed"), weights(tmp_path / "whole"))
    assert report(tmp_path / "killed")["loss_curve"] == report(tmp_path / "whole")["loss_curve"]
    assert report(tmp_path / "killed")["tokens"] == report(tmp_path / "whole")["tokens"]
    assert not (tmp_path / "killed.checkpoint").exists()


def test_parts_of_a_batch_make_the_same_steps(tiny_world, tmp_path):
    for name, parts in (("whole", 1), ("parts", 3)):
        given = {"accumulate": parts, "parallel": "summed"}
        pretrain(run(tiny_world, tmp_path / name, ["align_mlm", "tlm", "dwa"], **given))
    one, other = (report(tmp_path / name)["loss_curve"] for name in ("whole", "parts"))
    assert all(one[term] == pytest.approx(other[term], rel=1e-5) for term in one)


def member(rank, port, job):
    """One of two processes as torchrun starts them."""
    os.environ |= {"RANK": str(rank), "WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port)}
    pretrain(job)


@pytest.mark.parametrize(("objectives", "values"), [
    (["align_mlm", "tlm", "dwa"], {}),
    (["dwa"], {}),  # the language-model head has no gradient
    (["dwa"], {"dwa_query_layer": 1}),  # nor has the last layer
    (["dwa"], {"dwa_queries": "none"}),
])  # fmt: skip
def test_two_processes_make_the_same_steps(tiny_world, tmp_path, objectives, values):
    values = {"parallel": "summed", "clip_norm": 1.0, "steps": 5, **values}
    pretrain(run(tiny_world, tmp_path / "one", objectives, **values))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    job = run(tiny_world, tmp_path / "two", objectives, accumulate=2, **values)
    assert exit_codes([(member, rank, port, job) for rank in (0, 1)]) == [0, 0]
    one, two = (report(tmp_path / name)["loss_curve"] for name in ("one", "two"))
    assert report(tmp_path / "two")["tokens"] == report(tmp_path / "one")["tokens"]
    for term in one:
        assert one[term] == pytest.approx(two[term], rel=1e-5)
    for name, value in weights(tmp_path / "one").items():
        torch.testing.assert_close(weights(tmp_path / "two")[name], value, atol=1e-4, rtol=1e-3)


def test_a_loss_that_is_no_number_stops_the_run(tiny_world, tmp_path):
    with pytest.raises(CrosslinguaError, match=r"step \d+: the mlm loss (exploded|is not a number)"):
        pretrain(run(tiny_world, tmp_path / "out", lr=1e6, warmup=0, steps=50))
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("values", [{"steps": 1}, {"steps": 2, "checkpoint_every": 1}])
def test_weights_that_are_no_numbers_are_not_saved(tiny_world, tmp_path, values):
    with pytest.raises(CrosslinguaError, match=r"step 1: the update made weights of \S+ infinite.*lower lr"):
        pretrain(run(tiny_world, tmp_path / "out", lr=1e38, warmup=0, **values))
    assert list(tmp_path.iterdir()) == []


def test_what_counts_as_exploded():
    check(1, ["mlm", "align_mlm"], [6.9, -9.9], 1000)
    with pytest.raises(CrosslinguaError, match=r"step 7: the tlm loss exploded \(guessing costs 6.9\): 30"):
        check(7, ["mlm", "tlm"], [1.0, 30.0], 1000)
    with pytest.raises(CrosslinguaError, match=r"step 7: the mlm loss is not a number"):
        check(7, ["mlm"], [float("nan")], 1000)


@pytest.mark.parametrize(("objectives", "values", "message"), [
    (["dwa"], {}, "parallel=summed"), (["tlm"], {}, "parallel=summed"),
    (["mlm", "tlm", "dwa"], {}, "parallel=summed"), (["mlm", "align_mlm"], {}, "each contains MLM"),
    (["mlm"], {"accumulate": 9}, "raise batch_size"),
    (["mlm"], {"batch_unit": "tokens", "batch_size": 20}, "raise batch_size"),
])  # fmt: skip
def test_what_cannot_be_trained(tiny_world, tmp_path, objectives, values, message):
    with pytest.raises(ConfigError, match=message):
        pretrain(run(tiny_world, tmp_path / "out", objectives, **values))


def test_missing_and_useless_data(tiny_world, tmp_path):
    job = run(tiny_world, tmp_path / "out")
    with pytest.raises(ConfigError, match="needs --text"):
        replace(job, text={})
    with pytest.raises(ConfigError, match="needs --dictionary"):
        replace(job, objectives=["align_mlm"])
    (tmp_path / "long.txt").write_text("a " * 500 + "\n\n")
    with pytest.raises(InputError, match="all are empty or too long"):
        pretrain(replace(job, text={"a": str(tmp_path / "long.txt")}))
    with pytest.raises(ConfigError, match="name two languages"):
        bitext = {"a-c": (str(tiny_world / "a.txt"), str(tiny_world / "b.txt"))}
        pretrain(replace(job, objectives=["mlm", "tlm"], bitext=bitext))


def test_what_no_objective_reads_is_refused(tiny_world, tmp_path):
    job = run(tiny_world, tmp_path / "out", ["tlm", "align_mlm"], parallel="summed")
    with pytest.raises(ConfigError, match=r"mlm: reads no --bitext, which is for tlm, dwa"):
        replace(job, objectives=["mlm"], dictionary=None)
    with pytest.raises(ConfigError, match=r"tlm: reads no --dictionary, which is for dict_mlm, align_mlm"):
        replace(job, objectives=["tlm"])
    with pytest.raises(ConfigError, match="name each objective once"):
        run(tiny_world, tmp_path / "out", ["mlm", "mlm"])


def test_settings_of_objectives(tiny_world, tmp_path):
    job = run(tiny_world, tmp_path / "out", ["align_mlm"], align_alpha="3", dwa_mu=2, steps=1)
    pretrain(job)  # what another objective has is no mistake: a configuration may set it for all
    told = report(tmp_path / "out")["settings"]
    assert (told["align_alpha"], told["steps"], "dwa_mu" in told) == (3.0, 1, False)
    for value, message in (({"align_alfa": 1}, "did you mean 'align_alpha'"), ({"align_alpha": -1}, "at least 0"),
                           ({"align_alpha": "much"}, "must be a number")):  # fmt: skip
        with pytest.raises(ConfigError, match=message):
            run(tiny_world, tmp_path / "out", ["align_mlm"], **value)


def test_damaged_weights_and_tokenisers_are_named(tiny_world, tmp_path):
    pretrain(run(tiny_world, tmp_path / "first", steps=1))
    damaged = tmp_path / "first" / "model.safetensors"
    damaged.write_bytes(damaged.read_bytes()[:-100])
    with pytest.raises(InputError, match=r"model\.safetensors: truncated or damaged.*again"):
        pretrain(run(tiny_world, tmp_path / "second", init=tmp_path / "first"))
    (tmp_path / "tokenizer.json").write_text('{"model": {}')
    with pytest.raises(InputError, match=r"tokenizer\.json: no tokeniser can be read"):
        Pieces(tmp_path)


@pytest.mark.parametrize(("values", "told"), [
    ({"batch_size": 500, "pack": False}, ["text has 240 sequences in all, fewer than batch_size 500"]),
    ({"batch_size": 10**6, "batch_unit": "tokens"}, [" tokens in all, fewer than batch_size 1000000"]),
    ({}, []),
])  # fmt: skip
def test_fewer_rows_than_a_batch_are_warned_of(tiny_world, tmp_path, caplog, values, told):
    pretrain(run(tiny_world, tmp_path / "out", steps=1, **values))
    *of_rows, of_the_loss = caplog.messages
    assert all(text in message for text, message in zip(told, of_rows, strict=True))
    assert of_the_loss.startswith("mlm ends at ")


@pytest.fixture
def gpus(monkeypatch):
    """Let torch find as many GPUs as are asked for."""

    def there(number):
        monkeypatch.setattr(torch.cuda, "is_available", lambda: number > 0)
        monkeypatch.setattr(torch.cuda, "device_count", lambda: number)
        monkeypatch.setattr(torch.cuda, "set_device", lambda device: None)

    return there


@pytest.mark.parametrize(("number", "asked", "found"), [
    (0, "cpu", "cpu"), (0, "auto", "cpu"), (2, "cpu", "cpu"), (2, "auto", "cuda:1"), (2, "cuda", "cuda:1"),
])  # fmt: skip
def test_each_process_has_its_device(monkeypatch, gpus, number, asked, found):
    gpus(number)
    monkeypatch.setenv("LOCAL_RANK", "1")
    with processes(asked) as group:
        assert (group.rank, group.size, group.device) == (0, 1, torch.device(found))


def test_a_device_that_is_not_there(monkeypatch, gpus):
    gpus(0)
    with pytest.raises(ConfigError, match="device is cuda, but torch finds no GPU"), processes("cuda"):
        pass
    gpus(2)
    monkeypatch.setenv("LOCAL_RANK", "2")
    with pytest.raises(ConfigError, match="process 2 has no GPU: torch finds 2"), processes("auto"):
        pass


@pytest.mark.parametrize(("error", "message"), [
    (torch.OutOfMemoryError("out of memory\nmore"), r"cpu has too little memory: .*\(out of memory\)$"),
    (torch.AcceleratorError("an illegal access\nmuch more"), "cpu failed: an illegal access$"),
])  # fmt: skip
def test_a_device_that_fails(error, message):
    with pytest.raises(CrosslinguaError, match=message), processes("cpu"):
        raise error
