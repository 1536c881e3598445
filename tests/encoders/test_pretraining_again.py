"""The same run again: a seed, after a kill, in parts of a batch, in several processes."""

import os
import signal
import socket

import pytest
import torch

from crosslingua.encoders.pretraining import pretrain
from encoders.runs import exit_codes, killed_after, report, run, same, weights


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
        job = run(tiny_world, tmp_path / name, ["mlm", "tlm", "dwa"], accumulate=parts, parallel="summed")
        pretrain(job)
    one, other = (report(tmp_path / name)["loss_curve"]["loss"] for name in ("whole", "parts"))
    assert one == pytest.approx(other, rel=1e-5)


def member(rank, port, job):
    """One of two processes as torchrun starts them."""
    os.environ |= {"RANK": str(rank), "WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port)}
    pretrain(job)


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
