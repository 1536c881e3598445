"""Which runs are at work in a folder: its files stay locked, and its plans as they are; at what rate jobs start."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil

DEFAULT_RATE = (100, 1)  # jobs, seconds


def runs_at_work(folder: str | Path) -> Iterator[psutil.Process]:
    """Yield the processes in a folder that run the workflow or one of its scripts, but for this one."""
    folder = str(Path(folder).resolve())
    own = {process.pid for process in (psutil.Process(), *psutil.Process().parents())}
    for process in psutil.process_iter():
        try:
            if process.pid not in own and runs_workflow(process.cmdline()) and process.cwd() == folder:
                yield process
        except psutil.Error:  # it has ended, or is somebody else's
            continue


def runs_workflow(command: list[str]) -> bool:
    """Whether a command is Snakemake, or Python with a script of the workflow."""
    program, *words = [Path(word) for word in command[:4]] or [Path()]
    return program.name.startswith("python") and any(
        word.name == "snakemake" or word.parent.name == "scripts" for word in words
    )


def lift_default_rate(scheduler: Any) -> None:
    """Let Snakemake's scheduler start jobs at any rate; a limit that somebody asks for stays (--max-jobs-per-timespan).

    Snakemake 9 limits it by default, and to that end wakes its scheduler every second once more for each job that has
    finished: after 75 jobs it took 40 % of a core from those that ran.
    """
    limit = scheduler.job_rate_limiter
    if limit and (limit.max_jobs, limit.timespan) == DEFAULT_RATE:
        scheduler.job_rate_limiter = None
