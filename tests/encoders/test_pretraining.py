"""Whole runs: they learn, go on after a kill, and agree with several processes."""

from __future__ import annotations

import itertools
import json
import multiprocessing
import os
import signal
import socket
import sys
import time
from dataclasses import replace

import pytest
import torch
from safetensors.torch import load_file

from crosslingua.checkpoint import Checkpoints
from crosslingua.encoders.pieces import Pieces
from crosslingua.encoders.prefetch import prefetched
from crosslingua.encoders.pretraining import Pretraining, pretrain
from crosslingua.encoders.progress import check
from crosslingua.encoders.settings import divided
from crosslingua.encoders.trainer import Trainer, learning_rate
from crosslingua.errors import ConfigError, CrosslinguaError, InputError
from encoders.tiny import settings
from missing import Missing

fork = multiprocessing.get_context("fork")


def run(world, out, objectives=("mlm",), seed=1, init=None, log_dir=None, **values):
    """A run over both languages of the tiny world, with what its objectives read."""
    bitext = {"a-b": (str(world / "a.txt"), str(world / "b.txt"))}
    ours, own = divided(values)
    return Pretraining(
        objectives=objectives,
        settings=settings(**ours),
        own=own,
        tokenizer=world / "tok",
        text={"a": str(world / "a.txt"), "b": str(world / "b.txt")},
        bitext=bitext if {"tlm", "dwa"} & set(objectives) else {},
        dictionary=world / "tok" / "token_pairs.tsv" if {"dict_mlm", "align_mlm"} & set(objectives) else None,
        init=init,
        seed=seed,
        log_dir=log_dir,
        out=out,
    )


def weights(folder):
    return load_file(folder / "model.safetensors")


def report(folder):
    return json.loads((folder / "training.json").read_text())


def same(one, other):
    return one.keys() == other.keys() and all(torch.equal(one[name], other[name]) for name in one)


@pytest.mark.parametrize(
    ("objectives", "values", "ids", "terms"),
    [
        (["mlm"], {}, False, ["mlm"]),
        (["mlm", "tlm"], {}, True, ["mlm"]),
        (["mlm", "tlm"], {"parallel": "summed", "language_ids": "false"}, False, ["mlm", "tlm"]),
        (["dict_mlm"], {}, True, ["dict_mlm"]),
        (["align_mlm"], {}, False, ["align_mlm"]),
        (
            ["mlm", "tlm", "dwa"],
            {"parallel": "summed", "language_ids": "false"},
            False,
            ["mlm", "tlm", "dwa"],
        ),
        (["mlm", "dwa"], {"parallel": "summed", "language_ids": "false"}, False, ["mlm", "dwa"]),
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


def test_transformers_loads_the_folder(tiny_world, tmp_path):
    from transformers import AutoModel, AutoTokenizer

    pretrain(run(tiny_world, tmp_path / "out", ["mlm", "tlm"]))
    tokenizer = AutoTokenizer.from_pretrained(tmp_path / "out")
    encoder, told = AutoModel.from_pretrained(
        tmp_path / "out", add_pooling_layer=False, output_loading_info=True
    )
    assert not told["missing_keys"]
    states = encoder(**tokenizer("a b", return_tensors="pt")).last_hidden_state
    assert states.shape[2] == 16
    assert encoder.config.lang2id == {"a": 0, "b": 1}


def test_mlm_overfits_ten_sentences(tiny_world, tmp_path):
    (tmp_path / "ten.txt").write_text("\n".join((tiny_world / "a.txt").read_text().splitlines()[:10]) + "\n")
    values = {
        "steps": 300,
        "lr": 5e-3,
        "warmup": 30,
        "hidden": 64,
        "pack": False,
        "batch_size": 10,
        "log_every": 10,
    }
    whole = run(tiny_world, tmp_path / "out", **values)
    pretrain(
        Pretraining(
            ["mlm"], whole.settings, whole.tokenizer, {"a": str(tmp_path / "ten.txt")}, tmp_path / "out"
        )
    )
    losses = report(tmp_path / "out")["loss_curve"]["loss"]
    assert losses[0] > 3
    assert losses[-1] < 0.5


def test_a_seed_gives_its_bytes(tiny_world, tmp_path):
    for name, seed in (("one", 1), ("again", 1), ("two", 2)):
        pretrain(run(tiny_world, tmp_path / name, ["align_mlm"], seed=seed, dropout=0.1))
    files = [(tmp_path / name / "model.safetensors").read_bytes() for name in ("one", "again", "two")]
    assert files[0] == files[1] != files[2]


def in_a_fork(function, *arguments):
    process = fork.Process(target=function, args=arguments)
    process.start()
    process.join(120)
    return process.exitcode


def killed_after(step, job):
    """Run until the update after `step`, then die as by kill -9."""
    update = Trainer._update

    def deadly(self, number, *arguments):
        if number == step + 1:
            os.kill(os.getpid(), signal.SIGKILL)
        update(self, number, *arguments)

    Trainer._update = deadly
    pretrain(job)


@pytest.mark.parametrize("objectives", [["mlm"], ["mlm", "tlm", "dwa"]])
def test_killed_and_run_again_to_the_same_bits(tiny_world, tmp_path, objectives):
    values = {"steps": 11, "checkpoint_every": 4, "dropout": 0.1, "log_every": 3, "parallel": "summed"}
    values |= {"batch_size": 30}  # an epoch ends on the way
    pretrain(run(tiny_world, tmp_path / "whole", objectives, **values))
    job = run(tiny_world, tmp_path / "killed", objectives, **values)
    assert in_a_fork(killed_after, 9, job) == -signal.SIGKILL
    assert not (tmp_path / "killed").exists()
    assert torch.load(tmp_path / "killed.checkpoint" / "state.pt")["step"] == 8
    pretrain(job)
    assert same(weights(tmp_path / "killed"), weights(tmp_path / "whole"))
    assert report(tmp_path / "killed")["loss_curve"] == report(tmp_path / "whole")["loss_curve"]
    assert report(tmp_path / "killed")["tokens"] == report(tmp_path / "whole")["tokens"]
    assert not (tmp_path / "killed.checkpoint").exists()


def test_another_runs_checkpoint_is_ignored(tmp_path, caplog):
    Checkpoints(tmp_path / "out", "one").save({"step": 3})
    assert Checkpoints(tmp_path / "out", "one").load()["step"] == 3
    assert Checkpoints(tmp_path / "out", "two").load() is None
    assert "other data or settings" in caplog.text
    (tmp_path / "out.checkpoint" / "state.pt").write_bytes(b"half")
    assert Checkpoints(tmp_path / "out", "one").load() is None


def test_parts_of_a_batch_make_the_same_steps(tiny_world, tmp_path):
    for name, parts in (("whole", 1), ("parts", 3)):
        job = run(tiny_world, tmp_path / name, ["mlm", "tlm", "dwa"], accumulate=parts, parallel="summed")
        pretrain(job)
    one, other = (report(tmp_path / name)["loss_curve"]["loss"] for name in ("whole", "parts"))
    assert one == pytest.approx(other, rel=1e-5)


def member(rank, port, job):
    """One of two processes as torchrun starts them."""
    os.environ |= {"RANK": str(rank), "WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port)}
    pretrain(job)


def in_two_processes(job):
    """Run a job as `torchrun --nproc-per-node 2` does; return the exit codes."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    members = [fork.Process(target=member, args=(rank, port, job)) for rank in (0, 1)]
    for process in members:
        process.start()
    for process in members:
        process.join(120)
    return [process.exitcode for process in members]


@pytest.mark.parametrize(
    ("objectives", "values"),
    [
        (["align_mlm", "tlm", "dwa"], {}),
        (["dwa"], {}),  # the language-model head has no gradient
        (["dwa"], {"dwa_query_layer": 1}),  # nor has the last layer
        (["dwa"], {"dwa_queries": "none"}),
    ],
)
def test_two_processes_make_the_same_steps(tiny_world, tmp_path, objectives, values):
    values = {"parallel": "summed", "clip_norm": 1.0, "steps": 5, **values}
    pretrain(run(tiny_world, tmp_path / "one", objectives, **values))
    assert in_two_processes(run(tiny_world, tmp_path / "two", objectives, accumulate=2, **values)) == [0, 0]
    one, two = (report(tmp_path / name)["loss_curve"] for name in ("one", "two"))
    assert report(tmp_path / "two")["tokens"] == report(tmp_path / "one")["tokens"]
    for term in one:
        assert one[term] == pytest.approx(two[term], rel=1e-5)
    for name, value in weights(tmp_path / "one").items():
        torch.testing.assert_close(weights(tmp_path / "two")[name], value, atol=1e-4, rtol=1e-3)


def test_cold_start_goes_on_from_a_folder(tiny_world, tmp_path):
    pretrain(run(tiny_world, tmp_path / "first", steps=30, lr=5e-3))
    pretrain(run(tiny_world, tmp_path / "second", init=tmp_path / "first", steps=1, lr=1e-9))
    first, second = weights(tmp_path / "first"), weights(tmp_path / "second")
    assert all(torch.allclose(first[name], second[name], atol=1e-6) for name in first)
    assert (
        report(tmp_path / "second")["loss_curve"]["loss"][0]
        < report(tmp_path / "first")["loss_curve"]["loss"][0]
    )
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
        pretrain(
            Pretraining(
                ["mlm"], job.settings, job.tokenizer, turned, tmp_path / "third", init=tmp_path / "xlm"
            )
        )


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


def test_tensorboard_logs(tiny_world, tmp_path):
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    pretrain(run(tiny_world, tmp_path / "out", log_dir=tmp_path / "logs"))
    events = EventAccumulator(str(tmp_path / "logs"))
    events.Reload()
    assert {"loss", "mlm", "lr", "tokens_per_second"} <= set(events.Tags()["scalars"])
    logged = [event.value for event in events.Scalars("loss")]
    assert logged == pytest.approx(report(tmp_path / "out")["loss_curve"]["loss"], rel=1e-6)


def test_logs_without_tensorboard_are_refused_at_once(tiny_world, tmp_path, monkeypatch):
    monkeypatch.delitem(sys.modules, "tensorboard", raising=False)
    monkeypatch.setattr(sys, "meta_path", [Missing("tensorboard"), *sys.meta_path])
    with pytest.raises(
        ConfigError, match=r"--log-dir: .*tensorboard.*pip install 'crosslingua\[tensorboard\]'"
    ):
        run(tiny_world, tmp_path / "out", log_dir=tmp_path / "logs")


def test_tensorboard_logs_of_a_resumed_run_are_whole(tiny_world, tmp_path):
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    values = {"steps": 11, "checkpoint_every": 4, "log_every": 4}
    job = run(tiny_world, tmp_path / "out", log_dir=tmp_path / "logs", **values)
    assert in_a_fork(killed_after, 9, job) == -signal.SIGKILL
    time.sleep(1.1)  # the names of the logs tell their second, by which they are ordered
    pretrain(job)
    events = EventAccumulator(str(tmp_path / "logs"))
    events.Reload()
    assert [event.step for event in events.Scalars("loss")] == [4, 8, 11]


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


@pytest.mark.parametrize(
    ("objectives", "values", "error", "message"),
    [
        (["dwa"], {}, ConfigError, "parallel=summed"),
        (["tlm"], {}, ConfigError, "parallel=summed"),
        (["mlm", "align_mlm"], {}, ConfigError, "each contains MLM"),
        (["mlm", "tlm", "dwa"], {}, ConfigError, "parallel=summed"),
        (["mlm"], {"accumulate": 9}, ConfigError, "raise batch_size"),
        (["mlm"], {"batch_unit": "tokens", "batch_size": 20}, ConfigError, "raise batch_size"),
    ],
)
def test_what_cannot_be_trained(tiny_world, tmp_path, objectives, values, error, message):
    with pytest.raises(error, match=message):
        pretrain(run(tiny_world, tmp_path / "out", objectives, **values))


def test_missing_and_useless_data(tiny_world, tmp_path):
    job = run(tiny_world, tmp_path / "out")
    with pytest.raises(ConfigError, match="needs --text"):
        Pretraining(["mlm"], job.settings, job.tokenizer, {}, tmp_path / "out")
    with pytest.raises(ConfigError, match="needs --dictionary"):
        Pretraining(["align_mlm"], job.settings, job.tokenizer, job.text, tmp_path / "out")
    (tmp_path / "long.txt").write_text("a " * 500 + "\n\n")
    with pytest.raises(InputError, match="all are empty or too long"):
        pretrain(
            Pretraining(
                ["mlm"], job.settings, job.tokenizer, {"a": str(tmp_path / "long.txt")}, tmp_path / "out"
            )
        )
    with pytest.raises(ConfigError, match="name two languages"):
        bitext = {"a-c": (str(tiny_world / "a.txt"), str(tiny_world / "b.txt"))}
        pretrain(Pretraining(["mlm", "tlm"], job.settings, job.tokenizer, job.text, tmp_path / "out", bitext))


def test_what_no_objective_reads_is_refused(tiny_world, tmp_path):
    job = run(tiny_world, tmp_path / "out", ["tlm", "align_mlm"], parallel="summed")
    given = [job.settings, job.tokenizer, job.text, tmp_path / "out"]
    with pytest.raises(ConfigError, match=r"mlm: reads no --bitext, which is for tlm, dwa"):
        Pretraining(["mlm"], *given, bitext=job.bitext)
    with pytest.raises(ConfigError, match=r"tlm: reads no --dictionary, which is for dict_mlm, align_mlm"):
        Pretraining(["tlm"], *given, bitext=job.bitext, dictionary=job.dictionary)
    with pytest.raises(ConfigError, match="name each objective once"):
        Pretraining(["mlm", "mlm"], *given)


def test_settings_of_objectives(tiny_world, tmp_path):
    job = run(tiny_world, tmp_path / "out", ["align_mlm"], align_alpha="3", dwa_mu=2, steps=1)
    pretrain(job)  # what another objective has is no mistake: a configuration may set it for all
    told = report(tmp_path / "out")["settings"]
    assert (told["align_alpha"], told["steps"]) == (3.0, 1)
    assert "dwa_mu" not in told
    for value, message in (({"align_alfa": 1}, "did you mean 'align_alpha'"), ({"align_alpha": -1}, "0 or more"),
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


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ({"batch_size": 500, "pack": False}, ["text has 240 sequences in all, fewer than batch_size 500"]),
        ({"batch_size": 10**6, "batch_unit": "tokens"}, [" tokens in all, fewer than batch_size 1000000"]),
        ({}, []),
    ],
)
def test_fewer_rows_than_a_batch_are_warned_of(tiny_world, tmp_path, caplog, values, told):
    pretrain(run(tiny_world, tmp_path / "out", steps=1, **values))
    assert [text in message for text, message in zip(told, caplog.messages, strict=True)] == [True] * len(
        told
    )


def test_bitext_is_the_asked_share_of_a_languages_sentences(tiny_world, tmp_path):
    pretrain(run(tiny_world, tmp_path / "out", ["mlm", "tlm"], parallel_share=0.1, steps=1))
    counts = report(tmp_path / "out")["data"]
    assert (counts["sentences.a"], counts["pairs.a-b"]) == (120, 12)


def test_bitext_alone_names_the_languages(tiny_world, tmp_path):
    job = run(tiny_world, tmp_path / "out", ["tlm"], parallel="summed", language_ids="true")
    pretrain(Pretraining(["tlm"], job.settings, job.tokenizer, {}, tmp_path / "out", job.bitext))
    assert report(tmp_path / "out")["language_ids"] == {"a": 0, "b": 1}


def test_prefetched_items_keep_their_order():
    drawn = prefetched(itertools.count())
    assert list(itertools.islice(drawn, 50)) == list(range(50))
    drawn.close()


def test_schedule_by_hand():
    s = settings(steps=10, warmup=2, lr=1.0)
    assert [learning_rate(step, s) for step in (1, 2, 3, 10)] == pytest.approx([0.5, 1.0, 8 / 9, 1 / 9])
    assert learning_rate(9, settings(steps=10, warmup=2, lr=1.0, schedule="constant")) == 1.0
