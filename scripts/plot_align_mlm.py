"""Draw a figure of align_mlm from the metrics: delta by objective (figure2), or alignment and transfer (figure3).

python scripts/plot_align_mlm.py --metrics metrics.csv --figure figure2 --reference reference/align_mlm_table3.csv \\
    --caption "scale demo" --out figure2.png figure2.svg
"""

from crosslingua.cli import parser, run
from crosslingua.metrics import read_rows
from crosslingua.report.align_mlm_figures import plot_figure2, plot_figure3
from crosslingua.report.reference import read_reference


def main() -> None:
    """Parse and draw."""
    p = parser(__doc__)
    p.add_argument("--metrics", required=True, help="metrics rows")
    p.add_argument("--figure", choices=["figure2", "figure3"], required=True, help="which figure")
    p.add_argument("--reference", nargs="+", default=[], help="the paper's numbers, CSV, drawn in figure2")
    p.add_argument("--caption", default="", help="a line above the picture")
    p.add_argument("--out", nargs="+", required=True, help="pictures to write (.png, .svg)")
    args = p.parse_args()
    rows = read_rows(args.metrics)
    if args.figure == "figure2":
        plot_figure2(rows, read_reference(args.reference), args.caption, args.out)
    else:
        plot_figure3(rows, args.caption, args.out)


if __name__ == "__main__":
    run(main)
