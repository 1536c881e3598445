"""Unlock this folder after a run that was killed; leave it locked while a run may be at work in it.

    python scripts/unlock.py

Snakemake locks the files of a run. A run that is killed leaves them so, and the next one would be refused. The folder
stays locked while a run's processes are alive here, and after a run of another machine or on a cluster.
"""

from pathlib import Path

from crosslingua.cli import parser, run
from crosslingua.workflow.locks import unlock


def main() -> None:
    """Unlock, and say so."""
    parser(__doc__).parse_args()
    if done := unlock(Path.cwd()):
        print(done)


if __name__ == "__main__":
    run(main)
