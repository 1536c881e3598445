"""Unlock this folder after a run that was killed; leave it locked while a run is at work in it.

    python scripts/unlock.py

Snakemake locks the files of a run. A run that is killed leaves them so, and the next one would be refused.
"""

import shutil
from pathlib import Path

from crosslingua.cli import parser, run
from crosslingua.workflow.workflow import runs_at_work

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


if __name__ == "__main__":
    run(main)
