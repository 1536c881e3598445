"""Pre-trainings that are refused, and warnings."""

from dataclasses import replace

import pytest

from crosslingua.encoders.data import Pieces
from crosslingua.encoders.pretraining import pretrain
from crosslingua.errors import ConfigError, InputError
from encoders.runs import report, run


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
    assert (told["align_alpha"], told["steps"]) == (3.0, 1)
    assert "dwa_mu" not in told
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
    assert all(text in message for text, message in zip(told, caplog.messages, strict=True))
