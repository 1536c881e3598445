"""Test xlm_align's statements about word alignment on the results of a scale.

    python scripts/evaluate_alignment_claims.py --claims reference/claims.yaml --schema schemas/claims.schema.yaml \\
        --cells a.json b.json --pairs de-en de-en --systems fast_align optimal_transport+xlmr --seeds any 1 \\
        --out claims.csv --details claims.json

The n-th of --cells (JSON of score_alignment.py), --pairs, --systems (name+encoder, and for figure 2
name+encoder@first, @middle or @last) and --seeds (of the training run, or any: the same in every run) make one cell.
Writes a row for each claim that the systems at hand can test, and JSON with every comparison and what was left out.
"""

from pathlib import Path

from crosslingua.claims.evidence import Cell, alignment_error
from crosslingua.claims.statements import read_claims
from crosslingua.claims.verdict import judge_paper
from crosslingua.cli import parser, run
from crosslingua.report.claims import write_csv, write_details


def main() -> None:
    """Parse, gather the evidence, judge."""
    p = parser(__doc__)
    p.add_argument("--claims", required=True, help="YAML of claims")
    p.add_argument("--schema", required=True, help="its schema")
    p.add_argument("--cells", nargs="+", type=Path, required=True, help="JSON files of score_alignment.py")
    p.add_argument("--pairs", nargs="+", required=True, help="gold set of each cell")
    p.add_argument("--systems", nargs="+", required=True, help="system of each cell")
    p.add_argument("--seeds", nargs="+", required=True, help="seed of each cell, or any")
    p.add_argument("--out", required=True, help="CSV to write")
    p.add_argument("--details", required=True, help="JSON to write")
    args = p.parse_args()
    fields = list(zip(args.cells, args.pairs, args.systems, args.seeds, strict=True))
    trained = [Cell(path, pair, system, int(seed)) for path, pair, system, seed in fields if seed != "any"]
    fixed = [Cell(path, pair, system, 0) for path, pair, system, seed in fields if seed == "any"]
    evidence = {("alignment_error", "all"): alignment_error(trained, fixed)}
    results = judge_paper(read_claims(args.claims, args.schema), "xlm_align", evidence)
    write_csv(args.out, results)
    write_details(args.details, results)


if __name__ == "__main__":
    run(main)
