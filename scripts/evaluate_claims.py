"""Test joint_align's statements on the results of a scale: which are reproduced, contradicted, or undecided.

    python scripts/evaluate_claims.py --claims reference/claims.yaml --schema schemas/claims.schema.yaml \\
        --cells en-de.muse/joint/seed1.json --pairs en-de.muse --systems joint --seeds 1 \\
        --divisions joint_vr/en-de.muse/division.json --similarities similarity/en-de.muse.json \\
        --out claims.csv --details claims.json

The n-th of --cells (JSON of induce_lexicon.py), --pairs, --systems and --seeds make one cell. Writes a row for
each claim that the systems at hand can test, and JSON with every comparison and the claims that were left out.
"""

from pathlib import Path

from crosslingua.claims.evidence import IDENTICAL, Cell, by_sharing, closeness, precision, shared_words
from crosslingua.claims.statements import read_claims
from crosslingua.claims.verdict import judge_paper
from crosslingua.cli import parser, run
from crosslingua.errors import ConfigError
from crosslingua.report.claims import write_csv, write_details


def main() -> None:
    """Parse, gather the evidence, judge."""
    p = parser(__doc__)
    p.add_argument("--claims", required=True, help="YAML of claims")
    p.add_argument("--schema", required=True, help="its schema")
    p.add_argument("--cells", nargs="+", type=Path, required=True, help="JSON files of induce_lexicon.py")
    p.add_argument("--pairs", nargs="+", required=True, help="source-target.dictionary of each cell")
    p.add_argument("--systems", nargs="+", required=True, help="system of each cell")
    p.add_argument("--seeds", nargs="+", type=int, required=True, help="seed of each cell")
    p.add_argument("--divisions", nargs="+", required=True, help="division.json of reallocation, one a pair")
    p.add_argument(
        "--similarities", nargs="+", required=True, help="JSON of measure_similarity.py, one a pair"
    )
    p.add_argument("--out", required=True, help="CSV to write")
    p.add_argument("--details", required=True, help="JSON to write")
    args = p.parse_args()
    if len({len(args.cells), len(args.pairs), len(args.systems), len(args.seeds)}) > 1:
        raise ConfigError("--cells, --pairs, --systems and --seeds must have equally many values")
    cells = [Cell(*fields) for fields in zip(args.cells, args.pairs, args.systems, args.seeds, strict=True)]
    evidence = {("precision", words): precision(cells, words) for words in IDENTICAL}
    for words, shared in (("shared_source", True), ("own_source", False)):
        evidence["precision", words] = by_sharing(
            evidence["precision", "all"], args.similarities, shared=shared
        )
    evidence["shared_words", "all"] = shared_words(args.divisions)
    for words in ("all", "not_shared"):
        evidence["closeness", words] = closeness(args.similarities, words)
    results = judge_paper(read_claims(args.claims, args.schema), "joint_align", evidence)
    write_csv(args.out, results)
    write_details(args.details, results)


if __name__ == "__main__":
    run(main)
