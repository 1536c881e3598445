"""Compare two results: which numbers moved by more than the seeds vary.

    crosslingua compare results/demo other/results/demo
    crosslingua compare results/reference/demo/joint_align_table1.csv results/demo/tables/joint_align_table1.csv

Reads two folders with metrics.csv, two such files, or two tables (CSV). A number moved if Welch's t test over the seeds
rejects that both are equal. At most 5 % of the listed numbers are expected to be chance (Benjamini and Hochberg).
Numbers of one seed have no noise to be compared with: they count as moved where they differ at all. Writes the numbers
that moved, the largest move first, and how many stayed.
"""

from crosslingua.cli import parser, run
from crosslingua.report.comparison import compare, read_numbers


def main() -> None:
    """Parse, compare, print."""
    p = parser(__doc__)
    p.add_argument("before", help="folder, metrics.csv or table")
    p.add_argument("after", help="the same of the other run")
    p.add_argument("--out", help="also write all numbers with their difference and p, as CSV")
    args = p.parse_args()
    found = compare(read_numbers(args.before), read_numbers(args.after))
    if args.out:
        found.write(args.out)
    print(found.text())


if __name__ == "__main__":
    run(main)
