"""Write a static site of committed results: leaderboards, the page of each scale, the atlas, and the log of verdicts.

    crosslingua site results/reference/* --out site

A folder is called as its scale and holds what `make reference` keeps: tables, verdicts, answer and rows. That of the
atlas holds cards. The pages open from a folder, without a server and without requests. The log is verdicts.csv, if it
stands beside the folders. `make docs` puts the same pages into the documentation site.
"""

from pathlib import Path

from crosslingua.cli import parser, run
from crosslingua.paper_pages import paper_named
from crosslingua.report.site import LOG, write_site


def main() -> None:
    """Parse and write."""
    p = parser(__doc__)
    p.add_argument("folders", nargs="+", type=Path, help="folders of committed results, one of a scale each")
    p.add_argument("--out", required=True, type=Path, help="folder of the site")
    args = p.parse_args()
    folders = [
        path for path in args.folders if path.name != LOG
    ]  # it stands beside them, and `*` names it too
    print(f"Site: {write_site(folders, args.out, paper_named)}")


if __name__ == "__main__":
    run(main)
