"""Measure the cosines of translation pairs and of random pairs in a stage of joint_align.

    crosslingua measure-similarity --stage joint --source j.en.vec --target j.de.vec --shared shared.txt \\
        --dictionary test.txt --pair en-de.muse --seed 1 --out similarity.json
    crosslingua measure-similarity --cells plan.csv --out similarity.json

--shared are the words that both languages used before reallocation. Writes JSON. For every seed, stage and pair: the
cosine of the pair, of its word with another pair's translation, and with the nearest wrong word; and whether a word of
the pair was shared. For every seed: the dictionary's shared source words. All cells of a plan go into one --out.
"""

import logging
from functools import cache

from crosslingua.cli import cells, parser, run, seed_number
from crosslingua.errors import ConfigError
from crosslingua.io.bitext import read_dictionary, sources
from crosslingua.io.decode import decoded_lines
from crosslingua.io.json import write_json
from crosslingua.io.vectors import read_vectors
from crosslingua.report.similarity import STAGES, measure, random_partners

log = logging.getLogger(__name__)


def main() -> None:
    """Parse, then measure one seed and stage after the other."""
    p = parser(__doc__)
    p.add_argument("--stage", choices=STAGES, required=True, help="stage of the vectors")
    p.add_argument("--source", required=True, help="source vectors")
    p.add_argument("--target", required=True, help="target vectors")
    p.add_argument("--shared", required=True, help="words shared before reallocation, one a line")
    p.add_argument("--dictionary", required=True, help="translation pairs")
    p.add_argument("--pair", required=True, help="source-target.dictionary")
    p.add_argument("--seed", type=seed_number, required=True, help="of the vectors' training")
    p.add_argument("--out", required=True, help="JSON to write")
    found: dict[str, dict] = {}
    every = cells(p)
    known = frozenset.intersection(*(frozenset(read_vectors(args.target).words) for args in every))
    for args in every:
        pairs, partners = translations(args.dictionary, known)
        shared = set(decoded_lines(args.shared))
        empty = {"pair": args.pair, "source": args.pair.partition("-")[0], "shared_sources": [], "cells": []}
        content = found.setdefault(args.out, empty)
        if content["pair"] != args.pair:
            raise ConfigError(f"--out {args.out}: for one pair, not for {args.pair} too")
        measured = measure(read_vectors(args.source), read_vectors(args.target), pairs, partners, shared)
        content["cells"].append({"stage": args.stage, "seed": args.seed, "pairs": measured})
        seen = {"seed": args.seed, "words": [word for word in sources(pairs) if word in shared]}
        if seen not in content["shared_sources"]:
            content["shared_sources"].append(seen)
    for path, content in found.items():
        if not any(cell["pairs"] for cell in content["cells"]):
            log.warning(
                "%s: no pair of %s with two different words has vectors for both: check the languages and the case of"
                " the dictionary", path, content["pair"],
            )  # fmt: skip
        write_json(path, content)


@cache
def translations(path, known):
    """Return the pairs of a dictionary, and the random partner of each among the words that all cells have."""
    pairs = read_dictionary(path)
    return pairs, random_partners(pairs, 0, known)


if __name__ == "__main__":
    run(main)
