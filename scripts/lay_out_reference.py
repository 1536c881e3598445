"""Lay committed results out as a folder of results, from which write-page draws their page: nothing is run.

    python scripts/lay_out_reference.py results/reference/full --config config.yaml scales/full.yaml \\
        --out results/full-page

The folder has the tables as CSV, Markdown and HTML, the verdicts, the configuration, and the rows if they are
committed. Prints a sentence for the head of the page, on what is left out.
"""

from pathlib import Path

from crosslingua.cli import parser, run
from crosslingua.report.page.committed import lay_out


def main() -> None:
    """Parse and fill the folder."""
    p = parser(__doc__)
    p.add_argument("folder", type=Path, help="committed results of a scale")
    p.add_argument(
        "--config", nargs="+", type=Path, required=True, help="configurations of the scale, in turn"
    )
    p.add_argument("--out", type=Path, required=True, help="folder to write")
    args = p.parse_args()
    print(lay_out(args.folder, args.out, args.config))


if __name__ == "__main__":
    run(main)
