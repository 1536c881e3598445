"""Write the jobs, plans and code lists of every scale without running them, to compare two states of the code.

    python tests/planned_jobs.py before.json
    (change the code)
    python tests/planned_jobs.py after.json --compare before.json

A job has its rule, inputs, outputs, command line, resources, code list, and the lines of its plan. To every script
`--name=value` is `--name value`: command lines are compared word by word.
"""

import argparse
import json
import shlex
import sys
import tempfile
from pathlib import Path
from typing import Any

from checkout import Checkout, copy_checkout
from many_languages import write_many_languages

SCALES = ("tiny", "demo", "full", "real", "paper", "own")
EVERYTHING = ("all", "ablations", "encoders", "data_card")
OWN_FILES = ("--configfile", "scales/own.yaml", "many.yaml")
# Runs in place of snakemake: where --dag prints a graph, this program writes the jobs of it.
DUMP = """
import json
from snakemake.cli import main
from snakemake.workflow import Workflow

def write_jobs(self):
    self._prepare_dag(forceall=True, ignore_incomplete=True, lock_warn_only=True)
    self._build_dag()
    jobs = [
        {
            "rule": job.rule.name,
            "output": [str(path) for path in job.output],
            "input": [str(path) for path in job.input],
            "command": job.shellcmd or "",
            "log": [str(path) for path in job.log],
            "threads": job.threads,
            "resources": {key: value for key, value in job.resources.items() if key != "tmpdir"},
        }
        for job in self.dag.jobs if job.output
    ]
    json.dump(jobs, open("jobs.json", "w"))

Workflow.printdag = write_jobs
main()
"""


def planned(checkout: Checkout, scale: str) -> dict[str, Any]:
    """Return the jobs of a scale by their first output, and the text of every plan."""
    own = scale == "own"
    files, base = (OWN_FILES, "demo") if own else ((), scale)
    command = checkout.command("--dag=dot", *EVERYTHING, *files, scale=base)
    checkout.call([command[0], "-c", DUMP, *command[3:]])  # in place of `-m snakemake`
    jobs = json.loads((checkout.root / "jobs.json").read_text())
    for job in jobs:  # code and other files apart, neither in any order
        job["code"] = sorted({file for file in job["input"] if file.endswith(".py")})
        job["input"] = sorted({*job["input"]} - {*job["code"]})
    folder = checkout.root / "results" / ("many" if own else scale)
    plans = {str(path.relative_to(folder)): path.read_text() for path in folder.rglob("*") if path.is_file()}
    by_output = {job["output"][0]: job for job in jobs}
    return {"jobs": dict(sorted(by_output.items())), "plans": dict(sorted(plans.items()))}


def _words(command: str) -> list[str]:
    """Return the words of a command line, an option and its value apart."""
    words = shlex.split(command)
    return [part for word in words for part in (word.split("=", 1) if word[:2] == "--" else [word])]


def differences(before: Any, after: Any, place: str = "") -> list[str]:
    """Return the places at which two values differ, each with both values."""
    if isinstance(before, dict) and isinstance(after, dict):
        keys = dict.fromkeys([*before, *after])
        found = (differences(before.get(key), after.get(key), f"{place} > {key}") for key in keys)
        return [line for lines in found for line in lines]
    if before == after:
        return []
    if isinstance(before, list) and isinstance(after, list):
        lost, new = [x for x in before if x not in after], [x for x in after if x not in before]
        return [f"{place}: lost {lost}, new {new}"]
    return [f"{place}:\n  before {before!r}\n  after  {after!r}"]


def main() -> None:
    """Write the plan of the scales, and compare it with an earlier one."""
    plain = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=plain)
    parser.add_argument("out", type=Path, help="JSON file to write")
    parser.add_argument("--scales", nargs="+", choices=SCALES, default=SCALES)
    parser.add_argument("--compare", type=Path, help="JSON file of an earlier state")
    parser.add_argument("--without", nargs="*", default=[], help="fields of jobs that are not compared")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        checkout = copy_checkout(Path(__file__).resolve().parents[1], Path(folder))
        write_many_languages(Path(folder))
        found = {scale: planned(checkout, scale) for scale in args.scales}
    args.out.write_text(json.dumps(found, indent=1, ensure_ascii=False))
    if args.compare:
        earlier = json.loads(args.compare.read_text())
        chosen = {scale: earlier[scale] for scale in args.scales}
        for plan in [*found.values(), *chosen.values()]:
            for job in plan["jobs"].values():
                job["command"] = _words(job["command"])
                for name in args.without:
                    del job[name]
        lines = differences(chosen, found)
        print("\n".join(lines) or "equal")
        sys.exit(bool(lines))


if __name__ == "__main__":
    main()
