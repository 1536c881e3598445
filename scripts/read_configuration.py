"""Read the files that `make run CONFIG=...` names, and report an error with its file and line.

    python scripts/read_configuration.py mine.yaml

Snakemake, which reads the files next, does not say which file is not YAML, nor where. Snakemake reads the files of
`--configfile` before the Snakefile, so a mistyped name gives a traceback there.
"""

from crosslingua.cli import parser, run
from crosslingua.config import check_files


def main() -> None:
    """Read every file and forget it."""
    arguments = parser(__doc__)
    arguments.add_argument("files", nargs="*", help="configurations; later files override earlier files")
    check_files(arguments.parse_args().files or [""], "CONFIG=")


if __name__ == "__main__":
    run(main)
