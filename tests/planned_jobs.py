"""Write what every scale would run, without running it: jobs, plans and code lists, to compare two states of the code.

    python tests/planned_jobs.py before.json
    (change the code)
    python tests/planned_jobs.py after.json --compare before.json

A job has its rule, inputs, outputs, command line, resources, code list, and the lines of its plan.
"""

import argparse
import json
import re
import sys
import tempfile
from pathlib import Path
from typing import Any

from checkout import Checkout, copy_checkout
from many_languages import write_many_languages

SCALES = ("tiny", "demo", "full", "small", "paper", "own")
EVERYTHING = ("all", "ablations", "encoders", "data_card")
RULE = re.compile(r"(?:local)?rule (\w+):")
OWN_FILES = ("--configfile", "scales/own.yaml", "many.yaml")


def planned(checkout: Checkout, scale: str) -> dict[str, Any]:
    """Return the jobs of a scale by their first output, and the text of every plan."""
    files = OWN_FILES if scale == "own" else ()
    name = "demo" if files else scale
    output = checkout.run("--dry-run", "--printshellcmds", *EVERYTHING, *files, scale=name)
    jobs = {job["output"][0]: job for job in map(_job, output.split("\n\n")) if job and job["output"]}
    folder = checkout.root / "results" / ("many" if files else scale)
    plans = {
        str(path.relative_to(folder)): path.read_text()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
    return {"jobs": dict(sorted(jobs.items())), "plans": plans}


def _job(text: str) -> dict[str, Any] | None:
    """Return a job as a dry run prints it; None for any other paragraph."""
    lines = [re.sub(r"^\[.*\]$", "", line) for line in text.strip().splitlines()]
    rule = next((match[1] for match in map(RULE.match, lines) if match), None)
    if rule is None:
        return None
    fields = {key: value for key, _, value in (line.strip().partition(": ") for line in lines) if value}
    files = sorted(fields.get("input", "").split(", "))
    code = [file for file in files if file.endswith(".py")]
    return {
        "rule": rule,
        "output": fields.get("output", "").split(", "),
        "input": sorted(set(files) - set(code)),
        "code": code,
        "resources": fields.get("resources", ""),
        "command": fields.get("Shell command", ""),
        "log": fields.get("log", ""),
    }


def differences(before: Any, after: Any, place: str = "") -> list[str]:
    """Return the places at which two values differ, each with both values."""
    if isinstance(before, dict) and isinstance(after, dict):
        keys = list(dict.fromkeys([*before, *after]))
        return [
            line for key in keys for line in differences(before.get(key), after.get(key), f"{place} > {key}")
        ]
    if before == after:
        return []
    if isinstance(before, list) and isinstance(after, list):
        lost, new = [x for x in before if x not in after], [x for x in after if x not in before]
        return [f"{place}: lost {lost}, new {new}"]
    return [f"{place}:\n  before {before!r}\n  after  {after!r}"]


def main() -> None:
    """Write the plan of the scales, and compare it with an earlier one."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("out", type=Path, help="JSON file to write")
    parser.add_argument("--scales", nargs="+", choices=SCALES, default=SCALES)
    parser.add_argument("--compare", type=Path, help="JSON file of an earlier state")
    parser.add_argument(
        "--without", nargs="*", default=[], help="fields of jobs to leave out of the comparison"
    )
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
                for name in args.without:
                    del job[name]
        lines = differences(chosen, found)
        print("\n".join(lines) or "equal")
        sys.exit(bool(lines))


if __name__ == "__main__":
    main()
