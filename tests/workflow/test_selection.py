"""What selects reads nothing that tests: in the whole DAG, with all that comes before."""

from __future__ import annotations

import re

import pytest

from checkout import Checkout

pytestmark = pytest.mark.workflow

# Commands that choose: settings, gamma, training with a dictionary.
CHOOSES = re.compile(r"--(search|validation|choice|gamma)[= ]|choose_training\.py|--choosing")
TESTS = re.compile(r"(^|[/._-])test([/._-]|$)")


def jobs(output: str) -> list[dict[str, list[str] | str]]:
    """Return the jobs of a dry run with printed commands: rule, inputs, outputs, command."""
    found = []
    for block in re.split(r"\n(?=(?:local)?rule )", output):
        if not (name := re.match(r"(?:local)?rule (\w+):", block)):
            continue
        files = {
            key: (
                line[1].split(", ") if (line := re.search(rf"^    {key}: (.+)$", block, re.MULTILINE)) else []
            )
            for key in ("input", "output")
        }
        command = re.search(r"^Shell command: (.+)$", block, re.MULTILINE)
        found.append({"rule": name[1], "command": command[1] if command else "", **files})
    return found


def test_no_job_that_selects_reads_a_test_file(fresh_checkout: Checkout) -> None:
    targets = ("joint_align", "ablations", "--config", "papers=[joint_align]")
    output = fresh_checkout.run("--dry-run", "--printshellcmds", *targets, scale="demo")
    every = jobs(output)
    maker = {file: job for job in every for file in job["output"]}
    plans = {
        file: (fresh_checkout.root / file).read_text(encoding="utf-8")
        for job in every
        for file in job["input"]
        if "/plans/" in file
    }
    choosing = [
        job
        for job in every
        if CHOOSES.search(job["command"])
        or any(file.startswith(job_plan) and "choice" in text.split("\n")[0] for file, text in plans.items()
               for job_plan in job["input"])
    ]  # fmt: skip
    rules = {job["rule"] for job in choosing}
    assert {"choose_training", "reallocate_vocabulary", "divide_joint", "align_by_rcsls_supervised"} <= rules
    assert len(choosing) > 30
    for job in choosing:
        waiting, seen = [job], set()
        for one in waiting:  # which grows
            if id(one) in seen:
                continue
            seen.add(id(one))
            read = [file for file in one["input"] if not file.startswith(("src/", "scripts/"))]
            assert not [file for file in read if TESTS.search(file)], (job["rule"], one["rule"])
            waiting += [maker[file] for file in read if file in maker]
    judges = [job for job in every if job["rule"].startswith("induce_lexicon")]
    assert all(
        any(TESTS.search(file) for file in job["input"]) for job in judges
    )  # the pattern finds what it should
