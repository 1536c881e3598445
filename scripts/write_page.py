"""Write the results page of a scale: one self-contained HTML file of the tables, figures and claims that there are.

    python scripts/write_page.py --results results/demo --papers joint_align xlm_align align_mlm \\
        --config results/demo/config.yaml --out results/demo/report.html

Of a paper P are tables/P_*.html, plots/P_*.png and its claims in claims.json; metrics.csv tells seeds and code. SHOWN
(JSON: {P: {"tables": names, "figures": names, "besides": {name: files}, "explored": {}}}) names what the configuration
makes of P, since the folder may hold more of an earlier one, and what P shows besides: chosen settings, sample
translations, word vectors. REFERENCE holds committed results, SCALE/claims.csv and SCALE/answer.json.
"""

from collections.abc import Mapping
from functools import partial
from typing import Any

from crosslingua.cli import parser, run
from crosslingua.io.json import read_json
from crosslingua.paper_folders import load
from crosslingua.report.costs import costs
from crosslingua.report.page import PagePaper, write_page


def main() -> None:
    """Parse and write."""
    p = parser(__doc__)
    p.add_argument("--results", required=True, help="folder of the scale's results")
    p.add_argument("--papers", nargs="+", required=True, help="papers to show, in this order")
    p.add_argument("--config", required=True, help="configuration of the run")
    p.add_argument("--shown", help="JSON of what papers show; default: all there is")
    p.add_argument("--reference", help="folder of committed results to show beside")
    p.add_argument("--benchmarks", help="folder of Snakemake's benchmarks, for what the run cost")
    p.add_argument("--logs", help="folder of the jobs' logs, with their processor time")
    p.add_argument("--out", required=True, help="page to write")
    args = p.parse_args()
    shown = read_json(args.shown, dict) if args.shown else {}
    papers = [paper_named(name, shown.get(name, {})) for name in args.papers]
    spent = costs(args.benchmarks, args.logs, args.papers) if args.benchmarks and args.logs else None
    write_page(args.out, args.results, papers, args.config, args.reference, spent)


def paper_named(name: str, shown: Mapping[str, Any]) -> PagePaper:
    """Return what the page is told of a paper, by the files of its folder; only the first must be there."""
    package, tables, figures, page = (load(name, part) for part in ("", "tables", "figures", "page"))
    known = tuple(tables.TABLES) if tables else ()
    return PagePaper(
        name,
        package.TITLE,
        package.AUTHORS,
        tuple(table for table in known if table in shown.get("tables", known)),
        {kind: figure.caption for kind, figure in getattr(figures, "FIGURES", {}).items()},
        partial(page.section, **shown.get("besides", {})) if page else lambda results: "",
        shown.get("figures"),
        partial(page.explorer, **shown["explored"]) if shown.get("explored") else lambda: None,
    )


if __name__ == "__main__":
    run(main)
