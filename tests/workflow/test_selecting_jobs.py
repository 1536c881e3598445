"""What selects reads nothing that tests: in the whole DAG, with all that comes before."""

import re
from typing import Any

import pytest

from checkout import Checkout

pytestmark = pytest.mark.workflow

# Commands that choose: settings, gamma, training with a dictionary, how an encoder is fine-tuned.
CHOOSES = re.compile(r"--(search|validation|choice|gamma)[= ]|choose_training\.py|select_settings\.py")
# They read what tests, so that no text and no set for training has its sentences (docs/datasets.md).
LEAVES_OUT = re.compile(r"prepare_(text|bitext)\.py|prepare_labelled\.py .*--split=train_without_tests ")
TESTS = re.compile(r"(^|[/._-])test([/._-]|$)")


def jobs(output: str) -> list[dict[str, Any]]:
    """Return the jobs of a dry run of what was never made: name, files made and read of other jobs, command."""
    found = []
    for block in re.split(r"\n(?=Job \d+: |rule |localrule )", output):
        reason = re.search(r"Reason: Missing output files: (.+)", block)
        if reason is None:
            continue
        made, _, read = reason[1].partition("; Input files updated by another job: ")
        command = re.search(r"Shell command: (.+)", block)
        files = {"output": made.split(", "), "input": [file for file in read.split(", ") if file]}
        found.append({"name": block.split("\n")[0], "command": command[1] if command else "", **files})
    return found


def read(job: dict[str, Any]) -> str:
    """Return a job's command without the files that it makes, as all splits of a generated set."""
    words = job["command"].partition(" --out-test")[0].split()
    return " ".join(word for word in words if word not in job["output"])


def selecting(checkout: Checkout, every: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the jobs that choose, by their command or by a column of their plan."""
    found = []
    for job in every:
        plan = re.search(r"--cells (\S+)", job["command"])
        header = (checkout.root / plan[1]).read_text(encoding="utf-8").split("\n")[0] if plan else ""
        if CHOOSES.search(job["command"]) or {"choosing", "gamma"} & set(header.split(",")):
            found.append(job)
    return found


def check_that_none_reads_what_tests(choosing: list[dict[str, Any]], every: list[dict[str, Any]]) -> None:
    """Follow each job of `choosing` through all that comes before it."""
    maker = {file: job for job in every for file in job["output"]}
    for job in choosing:
        waiting, seen = [job], set()
        for one in waiting:  # which grows
            if id(one) in seen:
                continue
            seen.add(id(one))
            if LEAVES_OUT.search(one["command"]):
                continue
            assert not [file for file in one["input"] if TESTS.search(file)], (job["name"], one["name"])
            assert not TESTS.search(read(one)), one["command"]
            waiting += [maker[file] for file in one["input"]]


def test_no_job_that_selects_reads_a_test_file(fresh_checkout: Checkout) -> None:
    targets = ("joint_align", "ablations", "--config", "papers=[joint_align]")
    every = jobs(fresh_checkout.run("--dry-run", "--printshellcmds", *targets, scale="demo"))
    choosing = selecting(fresh_checkout, every)
    names = " ".join(job["name"] + job["command"] for job in choosing)
    for what in (
        "choose_training.py",
        "Reallocate the shared vocabulary",
        "--mapper=rcsls",
        "Divide the joint",
    ):
        assert what in names
    assert len(choosing) > 30
    check_that_none_reads_what_tests(choosing, every)
    judges = [job for job in every if "induce_lexicon.py" in job["command"]]
    assert len(judges) == 3 * 16 + 3 * 3  # a system on a pair; of the curve a dictionary's
    for job in judges:  # what the patterns look for is found where it is
        assert any(TESTS.search(file) for file in job["input"])
        assert TESTS.search(job["command"])


# Where papers choose besides: how encoders are fine-tuned (full), and the same as above on real text (small). Taggers
# choose by validation data inside of the job that predicts, which no walk through jobs can tell.
@pytest.mark.parametrize(
    ("scale", "targets", "least"),
    [
        ("full", ["align_mlm", "xlm_align", "mbert_align", "laser_taggers"], {"select_settings.py": 10}),
        ("full", ["joint_align"], {"choose_training.py": 6, "--search": 6}),
        ("small", ["all"], {"choose_training.py": 3, "--search": 3}),
    ],
)
def test_nor_does_one_of_any_paper_and_scale(
    fresh_checkout: Checkout, scale: str, targets: list[str], least: dict[str, int]
) -> None:
    every = jobs(fresh_checkout.run("--dry-run", "--printshellcmds", *targets, scale=scale))
    choosing = selecting(fresh_checkout, every)
    for what, number in least.items():
        assert sum(what in job["command"] for job in choosing) >= number, what
    check_that_none_reads_what_tests(choosing, every)
