"""Logs of a run, and losses that stop the run."""

import signal
import sys
import time

import pytest

from crosslingua.encoders.pretraining import pretrain
from crosslingua.encoders.trainer import check
from crosslingua.errors import ConfigError, CrosslinguaError
from encoders.runs import exit_codes, killed_after, report, run
from missing import Missing


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
    assert exit_codes([(killed_after, 9, job)]) == [-signal.SIGKILL]
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
