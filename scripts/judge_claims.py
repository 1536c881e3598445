"""Test a paper's statements on the results of a scale: which are reproduced, contradicted, or undecided.

    crosslingua judge-claims --paper xlm_align --claims reference/xlm_align_claims.yaml \\
        --schema schemas/claims.schema.yaml --plan plan.json --out claims.csv --details claims.json \\
        --evidence evidence.json.gz

The plan is JSON: {"cells": [files of cells], "inputs": {name: [files]}, "runs": {seed: number}, "planned": [numbers],
"strategies": {system: strategy}, "stand_ins": {encoder: encoder}, "settings": {"scale": ..., "text": ...}}; `inputs`
are the files that a paper's claims.py names. `runs` says which encoder training each seed reads. `planned` are the
numbers of seeds of planned analyses. `strategies` says which strategy each system stands for in the answer: aligned,
joint, joint then mapped, or both. `stand_ins` says which encoder of this scale stands for one that the paper names.
`text` is generated or real. Writes a row for each claim that the systems at hand can test, JSON with every comparison
and what was left out, and the evidence by seed and item, from which `crosslingua judge` judges again.
"""

from dataclasses import replace

from crosslingua.cells import read_cells, read_plan
from crosslingua.claims.again import judge_recorded
from crosslingua.claims.files import write_csv, write_details
from crosslingua.cli import parser, run
from crosslingua.errors import ConfigError
from crosslingua.evidence.evidence import renamed
from crosslingua.evidence.files import Recorded, write_evidence
from crosslingua.paper_folders import load


def main() -> None:
    """Parse, gather the evidence, judge."""
    p = parser(__doc__, outputs=["evidence"])
    p.add_argument("--paper", required=True, help="short name")
    p.add_argument("--claims", required=True, help="claims of the paper, YAML")
    p.add_argument("--schema", required=True, help="schema of claims")
    p.add_argument("--plan", required=True, help="JSON: files of cells, and other inputs")
    p.add_argument("--out", required=True, help="CSV to write")
    p.add_argument("--details", required=True, help="JSON to write")
    p.add_argument("--evidence", required=True, help="values by seed and item to write, .json.gz")
    args = p.parse_args()
    paper = load(args.paper, "claims")
    if not hasattr(paper, "evidence"):
        raise ConfigError(
            f"--paper {args.paper}: claims of this paper cannot be tested: none of its files has evidence()"
        )
    plan = read_plan(args.plan, ["cells", "inputs", "runs", "planned", "strategies", "stand_ins", "settings"])
    cells = [cell for path in plan["cells"] for cell in read_cells(path)]
    theirs = {own: name for name, own in plan["stand_ins"].items()}  # evidence is told by the paper's names
    named = [replace(cell, system=renamed(cell.system, theirs)) for cell in cells]
    evidence = paper.evidence(named, plan["inputs"])
    recorded = Recorded(
        args.paper,
        plan["settings"]["scale"],
        plan["settings"]["text"],
        {key: one.renamed(plan["stand_ins"]) for key, one in evidence.items()},
        plan["runs"],
        plan["planned"],
        plan["strategies"],
        sorted({cell.system for cell in cells if cell.conditions.get("supervision") == "none"}),
        plan["stand_ins"],
    )
    results, answer = judge_recorded(recorded, paper, args.claims, args.schema)
    write_evidence(args.evidence, recorded)
    write_csv(args.out, results)
    write_details(args.details, results, answer)


if __name__ == "__main__":
    run(main)
