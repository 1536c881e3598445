"""The positive control of a mapper without a dictionary: one language twice, which it must map onto itself.

    crosslingua control-mappers --mapper vecmap --source en.seed1.vec --target en.seed2.vec --out control.json

Both files hold vectors of one language, of other seeds of training or of two halves of a corpus. The mapper sees
vectors, no words. A mapper that needs a dictionary is the upper line: every second word of both files trains the map,
the others test it. Writes JSON: p_at_1 (0-100), the share of the common words that CSLS finds again (for the upper
bound: of the test words); n_queries; details of the map.
"""

from crosslingua.cli import cells, count_number, parser, run, seed_number, set_option, write_scores
from crosslingua.errors import ConfigError
from crosslingua.io.vectors import read_vectors
from crosslingua.lexicon_induction import bli
from crosslingua.lexicon_induction.degenerate import is_degenerate, mark_degenerate
from crosslingua.mappers import MAPPERS
from crosslingua.mappers.mapper import build
from crosslingua.mappers.refinement import refine
from crosslingua.settings import parse_settings


def main() -> None:
    """Parse, map and score each pair of files."""
    p = parser(__doc__)
    p.add_argument("--mapper", required=True, help=f"one of {', '.join(MAPPERS)}")
    set_option(p, "the mapper's settings")
    p.add_argument("--source", required=True, help="vectors of a language")
    p.add_argument("--target", required=True, help="other vectors of the language")
    p.add_argument("--seed", type=seed_number, default=0, help="of the mapper")
    p.add_argument(
        "--max-vocabulary", type=count_number, default=200_000, help="words read of each file, the top ones"
    )
    p.add_argument("--out", required=True, help="JSON to write")
    for args in cells(p):
        write_scores(args.out, control(args))


def control(args) -> dict:
    """Return how many words a mapper finds again. Raises ConfigError where the files have too few words in common."""
    source, target = (read_vectors(path, args.max_vocabulary) for path in (args.source, args.target))
    mapper = build(args.mapper, parse_settings(args.set))
    same = [(word, word) for word in source.words if word in target]
    train, test = (same[::2], same[1::2]) if mapper.uses_pairs else (None, same)
    if not test:
        raise ConfigError(f"{args.source} and {args.target} have too few words in common: {len(same)}")
    aligned = refine(mapper, source, target, train, seed=args.seed)
    scores = bli.score(bli.predict(aligned.source, aligned.target, test, top=1), test, samples=1)
    kept = {name: scores[name] for name in ("p_at_1", "n_queries", "signature")}
    kept = mark_degenerate(kept) if is_degenerate(aligned.details) else kept
    return {"by": "control_mappers.py", **kept, "details": aligned.details}


if __name__ == "__main__":
    run(main)
