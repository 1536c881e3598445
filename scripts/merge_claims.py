"""Merge the claims of several papers. Files that do not exist are left out, but not all.

    crosslingua merge-claims --claims joint_align.csv xlm_align.csv --details joint_align.json xlm_align.json \\
        --out claims.csv --out-details claims.json
"""

from crosslingua.claims.files import merge
from crosslingua.cli import parser, run


def main() -> None:
    """Parse and merge."""
    p = parser(__doc__)
    p.add_argument("--claims", nargs="+", required=True, help="CSV of each paper")
    p.add_argument("--details", nargs="+", required=True, help="JSON of each paper")
    p.add_argument("--out", required=True, help="CSV to write")
    p.add_argument("--out-details", required=True, help="JSON to write")
    args = p.parse_args()
    merge(args.out, args.out_details, args.claims, args.details)


if __name__ == "__main__":
    run(main)
