"""Write a table of joint_align from the metrics: CSV with every convention, Markdown, and LaTeX.

python scripts/write_table.py --metrics metrics.csv --table table1 --systems procrustes joint --out t.csv t.md t.tex
"""

from crosslingua.cli import parser, run
from crosslingua.metrics import merge
from crosslingua.report.bli import grids, write


def main() -> None:
    """Parse, build, write each format."""
    p = parser(__doc__)
    p.add_argument("--metrics", nargs="+", required=True, help="files of metrics rows")
    p.add_argument("--table", choices=["table1", "table2"], required=True, help="which table")
    p.add_argument("--systems", nargs="+", required=True, help="systems, in the order of the table")
    p.add_argument(
        "--out", nargs="+", required=True, help="files to write; the suffix (csv, md, tex) says the format"
    )
    args = p.parse_args()
    rows = merge(args.metrics)
    found = grids(rows, args.table, args.systems)
    for path in args.out:
        write(path, args.table, found, rows[0].scale)


if __name__ == "__main__":
    run(main)
