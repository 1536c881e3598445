"""Estimate what a run will cost: minutes, memory and disk.

    crosslingua estimate                                      # the demo
    crosslingua estimate xlm_align --config scales/full.yaml
    crosslingua estimate --config scales/own.yaml mine.yaml --cores 8

A dry run counts the jobs that Snakemake would run. Their cost is the mean cost of the stage in a finished run of the
same scale (results/SCALE/costs.csv, results/reference/SCALE/costs.csv). Times are of the machine of that run. The
demo gives the order of magnitude of jobs on the controlled world's text that the run does not have. Without such a run,
the memory is what jobs ask a cluster for, and the registry gives the sizes of downloads. Stages that nothing measures
are named as not estimated.
"""

import os
import re
import subprocess
from collections import Counter
from pathlib import Path

from snakemake.utils import update_config

from crosslingua.cli import count_number, parser, run
from crosslingua.command import snakemake
from crosslingua.config import check_files
from crosslingua.errors import ConfigError
from crosslingua.io.json import read_yaml
from crosslingua.places import results, suite
from crosslingua.report.costs import PlannedRun, estimate, stats
from crosslingua.workflow.cluster import needs
from crosslingua.workflow.configuration import open_workflow
from crosslingua.workflow.results import every_target
from crosslingua.workflow.workflow import Workflow
from snakemake_logger_plugin_crosslingua import STAGES, own_error

# Jobs in name only: the rules of the Snakefile.
TARGETS = (
    "all", "ablations", "encoders", "claims", "report", "fetch", "fetch_data", "data", *every_target()
)  # fmt: skip
FETCHED = re.compile(r"^Job \d+: Fetch (\S+) of (\S+)$", re.MULTILINE)


def main() -> None:
    """Parse, count, add up, print."""
    p = parser(__doc__)
    p.add_argument("targets", nargs="*", help="as of make: papers, tasks, ablations; default: all")
    p.add_argument("--config", nargs="+", type=Path, default=[], help="configurations, as of make run")
    p.add_argument("--cores", type=count_number, default=os.cpu_count() or 1, help="that work side by side")
    args = p.parse_args()
    check_files(args.config, "--config ")
    files = [path.resolve() for path in args.config]
    dry_run = snakemake([*map(str, files)], ["--dry-run", "--cores", str(args.cores)], args.targets)
    done = subprocess.run(dry_run, capture_output=True, text=True)
    told = done.stdout + done.stderr
    if done.returncode:
        raise ConfigError(own_error(told) or told.strip().splitlines()[-1])
    jobs = Counter[str]()
    for rule, number in stats(told).items():
        jobs[STAGES.get(rule, rule)] += 0 if rule in TARGETS else number
    jobs = {stage: number for stage, number in jobs.items() if number}
    config: dict = {}  # merged as Snakemake does
    every = [suite("config.yaml"), *files]
    for path in every:
        update_config(config, read_yaml(path))
    w = open_workflow(config, every)
    folders = (results(), suite("results/reference"))
    print(estimate(jobs, w.scale, args.cores, planned(w, told), folders))


def planned(w: Workflow, told: str) -> PlannedRun:
    """Return what a configuration and its dry run say of the jobs' costs."""
    memory = {STAGES.get(rule, rule): needs(w, rule)["mem_mb"] for rule in stats(told)}
    fetched = [w.datasets[name].files.get(file) for file, name in FETCHED.findall(told)]
    return PlannedRun(bool(w.config.world), memory, [file.size if file else None for file in fetched])


if __name__ == "__main__":
    run(main)
