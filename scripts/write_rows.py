"""Write the metrics rows of a paper from its scored cells.

crosslingua write-rows --cells plans/cells/joint_align.main.csv --scale demo --out rows/joint_align.main.csv
"""

from crosslingua.cells import read_cells
from crosslingua.cli import parser, run
from crosslingua.metrics import rows_of, write_rows


def main() -> None:
    """Parse, read the scores, write."""
    p = parser(__doc__)
    p.add_argument(
        "--cells", required=True, help="CSV of cells: a JSON file of scores a line, and the rows to fill"
    )
    p.add_argument("--scale", required=True, help="scale of the run")
    p.add_argument("--out", required=True, help="CSV of rows to write")
    args = p.parse_args()
    write_rows(args.out, rows_of(read_cells(args.cells), args.scale))


if __name__ == "__main__":
    run(main)
