"""Test a paper's statements on the results of a scale: which are reproduced, contradicted, or undecided.

    python scripts/judge_claims.py --paper xlm_align --claims reference/xlm_align_claims.yaml \\
        --schema schemas/claims.schema.yaml --plan plan.json --out claims.csv --details claims.json

The plan is JSON: {"cells": [files of cells], "inputs": {name: [files]}, "runs": {seed: number}, "earlier": [numbers],
"planned": [numbers], "strategies": {system: strategy}}; `inputs` are the files that a paper's claims.py names. `runs`
says which encoder training each seed reads. `earlier` and `planned` are the numbers of seeds of earlier and of planned
analyses. `strategies` says which strategy each system stands for in the answer: aligned, joint or both. Writes a row
for each claim that the systems at hand can test, and JSON with every comparison and what was left out.
"""

from crosslingua.cells import read_cells, read_plan
from crosslingua.claims.files import write_csv, write_details
from crosslingua.claims.statements import read_claims
from crosslingua.claims.verdict import judge_all
from crosslingua.cli import parser, run
from crosslingua.errors import ConfigError
from crosslingua.paper_folders import load


def main() -> None:
    """Parse, gather the evidence, judge."""
    p = parser(__doc__)
    p.add_argument("--paper", required=True, help="short name")
    p.add_argument("--claims", required=True, help="claims of the paper, YAML")
    p.add_argument("--schema", required=True, help="schema of claims")
    p.add_argument("--plan", required=True, help="JSON: files of cells, and other inputs")
    p.add_argument("--out", required=True, help="CSV to write")
    p.add_argument("--details", required=True, help="JSON to write")
    args = p.parse_args()
    paper = load(args.paper, "claims")
    if not hasattr(paper, "evidence"):
        raise ConfigError(
            f"--paper {args.paper}: claims of this paper cannot be tested: none of its files has evidence()"
        )
    claims = read_claims(args.claims, args.schema, paper.MEASURES, args.paper)
    plan = read_plan(args.plan, ["cells", "inputs", "runs", "earlier", "planned", "strategies"])
    cells = [cell for path in plan["cells"] for cell in read_cells(path)]
    evidence = paper.evidence(cells, plan["inputs"])
    results = judge_all(claims, evidence, plan["runs"], plan["earlier"], plan["planned"])
    answer = paper.answer(evidence, cells, plan["strategies"]) if plan["strategies"] else None
    write_csv(args.out, results)
    write_details(args.details, results, answer)


if __name__ == "__main__":
    run(main)
