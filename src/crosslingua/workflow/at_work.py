"""Which runs are at work in a folder: its files stay locked, and its plans as they are."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import psutil


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
