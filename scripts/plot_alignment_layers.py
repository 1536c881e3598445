"""Draw figure 2 of xlm_align: alignment error rate by encoder layer, in the mean over language pairs.

python scripts/plot_alignment_layers.py --metrics metrics.csv --caption "scale demo" --out figure2.png figure2.svg
"""

from crosslingua.cli import parser, run
from crosslingua.metrics import merge
from crosslingua.report.layers_figure import plot


def main() -> None:
    """Parse and draw."""
    p = parser(__doc__)
    p.add_argument("--metrics", nargs="+", required=True, help="files of metrics rows")
    p.add_argument("--caption", default="", help="a line above the picture")
    p.add_argument("--out", nargs="+", required=True, help="pictures to write (.png, .svg)")
    args = p.parse_args()
    plot(merge(args.metrics), args.caption, args.out)


if __name__ == "__main__":
    run(main)
