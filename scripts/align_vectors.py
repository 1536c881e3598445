"""Map source vectors onto target vectors, with a dictionary or without.

    python scripts/align_vectors.py --mapper rcsls --source en.vec --target de.vec --dictionary train.txt \\
        --out-source en.mapped.vec --out-target de.mapped.vec --set lr=25 niter=10 --details out.json

Reads fastText `.vec` files (most frequent words first), a dictionary in MUSE format, and with --shared a
list of words (one a line) that both files hold: these and the target stay where they are, and only the
other source words are mapped. Writes `.vec` files with the words of the input, and a JSON report.
"""

import json
import logging
from functools import cache

from crosslingua.cli import cells, parser, run
from crosslingua.io.decode import decoded_lines
from crosslingua.io.dictionaries import read_dictionary
from crosslingua.io.json import write_json
from crosslingua.io.vectors import read_vectors, write_vectors
from crosslingua.mappers import MAPPERS
from crosslingua.mappers.refinement import refine
from crosslingua.mappers.settings import build, parse_settings

dictionary = cache(read_dictionary)


def main() -> None:
    """Parse, then align each pair of files."""
    p = parser(__doc__)
    p.add_argument("--mapper", required=True, help=f"one of {', '.join(MAPPERS)}")
    p.add_argument(
        "--set", nargs="+", default=[], metavar="NAME=VALUE", help="settings other than the published ones"
    )
    p.add_argument("--source", required=True, help="vectors to map")
    p.add_argument("--target", required=True, help="vectors to map onto")
    p.add_argument("--dictionary", help="training pairs; read by supervised mappers only")
    p.add_argument("--shared", help="words that stay where they are, one a line")
    p.add_argument("--seed", type=int, default=0, help="of stochastic mappers")
    p.add_argument(
        "--max-vocabulary", type=int, default=200_000, help="words read of each file, from its top"
    )
    p.add_argument("--drop-zero", action="store_true", help="leave zero vectors out instead of refusing them")
    p.add_argument("--out-source", required=True, help="mapped source vectors to write")
    p.add_argument("--out-target", required=True, help="mapped target vectors to write")
    p.add_argument("--details", help="JSON report to write")
    for args in cells(p):
        align(args)


def align(args):
    """Align one pair of files."""
    mapper = build(args.mapper, parse_settings(args.set))
    pairs = dictionary(args.dictionary) if args.dictionary and mapper.uses_pairs else None
    shared = None if args.shared is None else [line for line in decoded_lines(args.shared) if line]
    source, target = (
        read_vectors(path, args.max_vocabulary, drop_zero=args.drop_zero)
        for path in (args.source, args.target)
    )
    aligned = refine(mapper, source, target, pairs, shared=shared, seed=args.seed)
    logging.info("%s: %s", args.source, json.dumps(aligned.details)[:500])
    write_vectors(args.out_source, aligned.source)
    write_vectors(args.out_target, aligned.target)
    if args.details:
        write_json(args.details, {"name": args.mapper, **aligned.details})


if __name__ == "__main__":
    run(main)
