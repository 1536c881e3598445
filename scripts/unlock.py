"""Unlock this folder after a run that was killed; leave it locked while a run is at work in it.

    python scripts/unlock.py

Snakemake locks the files of a run. A run that is killed leaves them so, and the next one would be refused.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import psutil

from crosslingua.cli import parser, run

LOCKS = Path(".snakemake/locks")


def main() -> None:
    """Look for locks, then for processes, then unlock."""
    parser(__doc__).parse_args()
    if not LOCKS.is_dir() or not any(LOCKS.iterdir()):
        return
    if alive := [str(process.pid) for process in runs_at_work(Path.cwd())]:
        print(f"A run is at work in this folder: its files stay locked (process {', '.join(alive)})")
        return
    shutil.rmtree(LOCKS)  # all that `snakemake --unlock` does
    print("Unlocked: an earlier run was killed")


def runs_at_work(folder: Path) -> Iterator[psutil.Process]:
    """Yield the processes in a folder that run the workflow or one of its scripts, but for this one."""
    own = {process.pid for process in (psutil.Process(), *psutil.Process().parents())}
    for process in psutil.process_iter():
        try:
            if process.pid not in own and runs_workflow(process.cmdline()) and process.cwd() == str(folder):
                yield process
        except psutil.Error:  # it has ended, or is somebody else's
            continue


def runs_workflow(command: list[str]) -> bool:
    """Whether a command is Snakemake, or Python with a script of the workflow."""
    program, *words = [Path(word) for word in command[:4]] or [Path()]
    return program.name.startswith("python") and any(
        word.name == "snakemake" or word.parent.name == "scripts" for word in words
    )


if __name__ == "__main__":
    run(main)
