"""Merge the metrics rows of many jobs into one CSV, in a stable order; a row that comes twice is an error.

Files that do not exist are left out, since a run may make some papers only; one at least must exist.

crosslingua merge-metrics --rows rows/joint_align.main.csv rows/xlm_align.main.csv --out metrics.csv
"""

from crosslingua.cli import parser, run
from crosslingua.metrics import merge, write_rows


def main() -> None:
    """Parse, merge, write."""
    p = parser(__doc__)
    p.add_argument("--rows", nargs="+", required=True, help="CSV files of rows")
    p.add_argument("--out", required=True, help="CSV to write")
    args = p.parse_args()
    write_rows(args.out, merge(args.rows))


if __name__ == "__main__":
    run(main)
