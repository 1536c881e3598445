"""Estimate what a run will cost: minutes, memory and disk.

    crosslingua estimate                                      # the demo
    crosslingua estimate xlm_align --config scales/full.yaml
    crosslingua estimate --config scales/own.yaml mine.yaml --cores 8

Counts the jobs that Snakemake would run, by a dry run, and adds up what jobs of their stages cost in a finished run: of
the same scale (results/SCALE/costs.csv, results/reference/SCALE/costs.csv), else of the demo, which tells the order of
magnitude only. Times are of the machine of that run.
"""

import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

from crosslingua.cli import count_number, parser, run
from crosslingua.command import ROOT
from crosslingua.errors import ConfigError
from crosslingua.io.json import read_yaml
from crosslingua.report.costs import estimate, stats
from crosslingua.workflow.results import every_target
from snakemake_logger_plugin_crosslingua import STAGES

TARGETS = ("all", *every_target())  # jobs in name only


def main() -> None:
    """Parse, count, add up, print."""
    p = parser(__doc__)
    p.add_argument("targets", nargs="*", help="as of make: papers, tasks, ablations; default: all")
    p.add_argument("--config", nargs="+", type=Path, default=[], help="configurations, as of make run")
    p.add_argument("--cores", type=count_number, default=os.cpu_count() or 1, help="that work side by side")
    args = p.parse_args()
    files = [path.resolve() for path in args.config]
    os.chdir(ROOT)
    scale = [read_yaml(path).get("scale") for path in (Path("config.yaml"), *files)]
    chosen = ["--configfile", *map(str, files)] if files else []
    command = [
        sys.executable,
        "-m",
        "snakemake",
        "--dry-run",
        "--cores",
        str(args.cores),
        *args.targets,
        *chosen,
    ]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise ConfigError((done.stdout + done.stderr).strip().splitlines()[-1])
    jobs = Counter[str]()
    for rule, number in stats(done.stdout + done.stderr).items():
        jobs[STAGES.get(rule, rule)] += 0 if rule in TARGETS else number
    jobs = {stage: number for stage, number in jobs.items() if number}
    print(estimate(jobs, [name for name in scale if name][-1], args.cores))


if __name__ == "__main__":
    run(main)
