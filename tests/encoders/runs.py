"""Runs of pre-training over the tiny world, for its tests."""

import json
import multiprocessing
import os
import signal

import torch
from safetensors.torch import load_file

from crosslingua.encoders.pretraining import pretrain
from crosslingua.encoders.settings import Pretraining, divided
from crosslingua.encoders.trainer import Trainer
from encoders.tiny import settings

SUMMED = {"parallel": "summed", "language_ids": "false"}


def run(world, out, objectives=("mlm",), seed=1, init=None, **values):
    """A run over both languages of the tiny world, with what its objectives read."""
    bitext = {"a-b": (str(world / "a.txt"), str(world / "b.txt"))}
    ours, own = divided(values)
    return Pretraining(
        objectives=objectives, settings=settings(**ours), own=own, tokenizer=world / "tok",
        text={"a": str(world / "a.txt"), "b": str(world / "b.txt")},
        bitext=bitext if {"tlm", "dwa"} & set(objectives) else {},
        dictionary=world / "tok" / "token_pairs.tsv" if {"dict_mlm", "align_mlm"} & set(objectives) else None,
        init=init, seed=seed, out=out,
    )  # fmt: skip


def weights(folder):
    return load_file(folder / "model.safetensors")


def report(folder):
    return json.loads((folder / "training.json").read_text())


def same(one, other):
    return one.keys() == other.keys() and all(torch.equal(one[name], other[name]) for name in one)


# Each from a server without threads: a fork of a process that has some (tests', OpenMP's) may wait for a lock for ever
fresh = multiprocessing.get_context("forkserver")
fresh.set_forkserver_preload(["crosslingua.encoders.pretraining"])


def on_one_thread(function, *arguments):
    torch.set_num_threads(1)  # as the tests' own process
    function(*arguments)


def exit_codes(calls):
    """Make each call, a function with its arguments, in a process of its own, all at once; return their exit codes."""
    processes = [fresh.Process(target=on_one_thread, args=call) for call in calls]
    for process in processes:
        process.start()
    for process in processes:
        process.join(120)
        process.kill()  # what still runs is to fail this test, not the next
        process.join()
    return [process.exitcode for process in processes]


def killed_after(step, job):
    """Run until the update after `step`, then die as by kill -9."""
    update = Trainer._update

    def deadly(self, number, *arguments):
        if number == step + 1:
            os.kill(os.getpid(), signal.SIGKILL)
        update(self, number, *arguments)

    Trainer._update = deadly
    pretrain(job)
