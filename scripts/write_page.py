"""Write the results page of a scale: one self-contained HTML file of the tables, figures and claims that there are.

    crosslingua write-page --results results/demo --papers joint_align xlm_align align_mlm \\
        --config results/demo/config.yaml --out results/demo/report.html

Of a paper P are tables/P_*.html, plots/P_*.png and its claims in claims.json; metrics.csv tells seeds and code. SHOWN
(JSON: {P: {"tables": names, "figures": names, "besides": {name: files}, "explored": {}, "samples": []}, "data": []})
names what the configuration makes of P, since the folder may hold more of an earlier one, and what P shows besides:
chosen settings, word vectors, samples; `data` are the data sets. REFERENCE holds committed results: SCALE/claims.csv
and SCALE/answer.json.

While a run is at work, --at-work PLAN PART writes the page of what is finished. PLAN (JSON) says what the run makes:
`parts`, which are papers and PAPER.GROUP, and `later`, the tables of a paper that its group lacks. Shown are PART and
those whose pages/PART.done is there, with claims/PART.json; the others are named.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from crosslingua.cli import parser, run
from crosslingua.errors import check_given
from crosslingua.io.json import read_json, read_yaml
from crosslingua.paper_pages import paper_named
from crosslingua.report.costs import costs
from crosslingua.report.page import write_page


def main() -> None:
    """Parse and write."""
    p = parser(__doc__)
    p.add_argument("--results", required=True, help="folder of the scale's results")
    p.add_argument("--papers", nargs="+", help="papers to show, in this order; default: the configuration's")
    p.add_argument("--config", required=True, help="configuration of the run")
    p.add_argument("--shown", help="JSON of what papers show; default: all there is")
    p.add_argument("--reference", help="folder of committed results to show beside")
    p.add_argument("--remark", default="", help="sentence for the head of the page")
    p.add_argument("--benchmarks", help="folder of Snakemake's benchmarks, for what the run cost")
    p.add_argument("--logs", help="folder of the jobs' logs, with their processor time")
    p.add_argument("--at-work", nargs=2, metavar=("PLAN", "PART"), help="early page of a run (needs --shown)")
    p.add_argument("--out", required=True, help="page to write")
    args = p.parse_args()
    shown = read_json(args.shown, dict) if args.shown else {}
    papers = args.papers
    if not papers:
        config = read_yaml(args.config)
        check_given(args.config, config, "papers", "it names what the page shows; or say --papers")
        papers = config["papers"]
    parts, waiting = papers, None
    if args.at_work:
        plan, part = args.at_work
        parts, waiting = so_far(read_json(plan, dict), part, args.results)
    pages = [paper_named(part, shown.get(part, {})) for part in parts]
    spent = costs(args.benchmarks, args.logs, papers) if args.benchmarks and args.logs else None
    more = (spent, waiting, shown.get("data", ()), args.remark)
    write_page(args.out, args.results, pages, args.config, args.reference, *more)


def so_far(run: Mapping[str, Any], part: str, results: str) -> tuple[list[str], dict[str, list[str]]]:
    """Return the parts of a run that are done, and the papers that are not, with the tables that one there lacks."""
    there = [each for each in run["parts"] if each == part or Path(results, f"pages/{each}.done").is_file()]
    done = [each for each in there if each.partition(".")[0] not in there or "." not in each]
    in_part = {each.partition(".")[0] for each in done if "." in each}
    papers = dict.fromkeys(each.partition(".")[0] for each in run["parts"])
    return done, {
        paper: run["later"][paper] if paper in in_part else [] for paper in papers if paper not in done
    }


if __name__ == "__main__":
    run(main)
