"""What selects reads nothing that tests: in the whole DAG, with all that comes before."""

from __future__ import annotations

import re
from typing import Any

import pytest

from checkout import Checkout

pytestmark = pytest.mark.workflow

# Commands that choose: settings, gamma, training with a dictionary.
CHOOSES = re.compile(r"--(search|validation|choice|gamma)[= ]|choose_training\.py")
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


def test_no_job_that_selects_reads_a_test_file(fresh_checkout: Checkout) -> None:
    targets = ("joint_align", "ablations", "--config", "papers=[joint_align]")
    every = jobs(fresh_checkout.run("--dry-run", "--printshellcmds", *targets, scale="demo"))
    maker = {file: job for job in every for file in job["output"]}
    root = fresh_checkout.root
    choosing = []
    for job in every:
        plan = re.search(r"--cells (\S+)", job["command"])
        header = (root / plan[1]).read_text(encoding="utf-8").split("\n")[0] if plan else ""
        if CHOOSES.search(job["command"]) or {"choosing", "gamma"} & set(header.split(",")):
            choosing.append(job)
    names = " ".join(job["name"] + job["command"] for job in choosing)
    for what in (
        "choose_training.py",
        "Reallocate the shared vocabulary",
        "--mapper=rcsls",
        "Divide the joint",
    ):
        assert what in names
    assert len(choosing) > 30
    for job in choosing:
        waiting, seen = [job], set()
        for one in waiting:  # which grows
            if id(one) in seen:
                continue
            seen.add(id(one))
            assert not [file for file in one["input"] if TESTS.search(file)], (job["name"], one["name"])
            assert not TESTS.search(one["command"].partition(" --out-test")[0]), one["command"]
            waiting += [maker[file] for file in one["input"]]
    judges = [job for job in every if "induce_lexicon.py" in job["command"]]
    assert len(judges) == 3 * 16 + 3 * 3  # a system on a pair; of the curve a dictionary's
    for job in judges:  # what the patterns look for is found where it is
        assert any(TESTS.search(file) for file in job["input"])
        assert TESTS.search(job["command"])
