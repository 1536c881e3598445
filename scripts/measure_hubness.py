"""Measure hubness: how often target words are among the nearest neighbours of source words, a system and seed.

    crosslingua measure-hubness --source joint/en.vec --target joint/de.vec --system joint --seed 1 \\
        --out hubness.json
    crosslingua measure-hubness --cells plan.csv --out hubness.json

Writes JSON: system -> cells, each with k, the distribution of N_k over target words, its skewness, and the greatest
hubs. All cells of a plan go into one --out.
"""

from crosslingua.cli import cells, count_number, parser, run, seed_number
from crosslingua.io.json import read_json, write_json
from crosslingua.io.vectors import read_vectors
from crosslingua.lexicon_induction.degenerate import is_degenerate
from crosslingua.report.similarity import describe

WORDS = 20_000  # most frequent words of either language


def main() -> None:
    """Parse, then measure one cell after the other."""
    p = parser(__doc__)
    p.add_argument("--source", required=True, help="source vectors in the common space")
    p.add_argument("--target", required=True, help="target vectors in the same space")
    p.add_argument("--system", required=True, help="system of the vectors")
    p.add_argument("--seed", type=seed_number, required=True, help="of their training")
    p.add_argument(
        "--neighbours", type=count_number, default=10, help="k: how many neighbours of a source word count"
    )
    p.add_argument("--mapping", help="JSON report of align-vectors: whether the map is degenerate")
    p.add_argument("--out", required=True, help="JSON to write")
    found: dict[str, dict[str, list]] = {}
    for args in cells(p):
        sides = [read_vectors(path, WORDS) for path in (args.source, args.target)]
        measured = {"seed": args.seed} | describe(*sides, k=args.neighbours)
        measured["degenerate"] = bool(args.mapping) and is_degenerate(read_json(args.mapping, dict))
        found.setdefault(args.out, {}).setdefault(args.system, []).append(measured)
    for path, systems in found.items():
        write_json(path, systems)


if __name__ == "__main__":
    run(main)
