"""Write the kit for a publication: LaTeX tables, figures, claims.yaml, a statistics appendix, references, an RO-Crate.

    crosslingua kit results/demo --out kit
    cd kit && pdflatex main && bibtex main && pdflatex main && pdflatex main

The folder is that of a finished run, or one of results/reference, which has no figures. `main.tex` shows everything and
compiles as it stands. A paper of your own takes the files that it needs: \\input{tables/joint_align_table1}. OUT is a
new folder, or that of an earlier kit, which is replaced.
"""

from pathlib import Path

from crosslingua.cli import parser, run
from crosslingua.report.kit import write_kit


def main() -> None:
    """Parse and write."""
    p = parser(__doc__)
    p.add_argument("results", type=Path, help="folder of results: results/SCALE or results/reference/SCALE")
    p.add_argument("--out", required=True, type=Path, help="folder of the kit")
    args = p.parse_args()
    names = write_kit(args.results, args.out)
    print(f"Kit: {args.out}/main.tex and {len(names) - 1} more files")


if __name__ == "__main__":
    run(main)
