"""Say what a run finds here: versions, processor, memory, GPU, free disk, caches, mirror.

crosslingua doctor
crosslingua doctor --mirror /data/mirror
"""

from crosslingua.cli import parser, run
from crosslingua.doctor import findings


def main() -> None:
    """Parse and print."""
    p = parser(__doc__)
    p.add_argument("--mirror", help="folder from which data sets are taken first: count what it has")
    for name, found in findings(p.parse_args().mirror):
        print(f"{name + ':':<18}{found}")


if __name__ == "__main__":
    run(main)
