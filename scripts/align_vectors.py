"""Map source vectors onto target vectors, with a dictionary or without.

    crosslingua align-vectors --mapper rcsls --source en.vec --target de.vec --dictionary train.txt \\
        --out-source en.mapped.vec --out-target de.mapped.vec --set lr=25 niter=10 --details out.json
    ... --search "lr=1|10|25|50" "niter=10|20" --fit fit.txt --validation validation.txt --choice choice.json

Reads fastText `.vec` files (most frequent words first) and a dictionary in MUSE format. --shared is a list of words
(one a line) that both files hold: these words and the target do not move. Writes `.vec` files with the words of the
input, and a JSON report.

--search compares the settings of --set with all combinations of its values. Each candidate is fitted on --fit and
compared on --validation; --choice records the scores. Lines of --cells that name one --choice share it. The vectors of
lines marked --choosing (or of all lines) make the choice. --published-... hold the result with the settings of --set.
"""

import json
import logging
from collections.abc import Sequence
from functools import cache

from crosslingua.cli import cells, count_number, device_option, parser, run, seed_number, set_option
from crosslingua.errors import ConfigError
from crosslingua.io.bitext import read_dictionary
from crosslingua.io.decode import decoded_lines
from crosslingua.io.json import write_json
from crosslingua.io.vectors import read_vectors, write_vectors
from crosslingua.lexicon_induction.choice import candidates, parse_grid
from crosslingua.lexicon_induction.retrieval import device_type
from crosslingua.mappers import MAPPERS
from crosslingua.mappers.mapper import build
from crosslingua.mappers.refinement import UnmappedSpace, choose_mapper, refine
from crosslingua.settings import parse_settings

dictionary = cache(read_dictionary)


def main() -> None:
    """Parse, choose settings where asked to, then align each pair of files."""
    p = parser(__doc__, outputs=["choice", "published_source", "published_target", "published_details"])
    p.add_argument("--mapper", required=True, help=f"one of {', '.join(MAPPERS)}")
    set_option(p, "settings over the published values")
    p.add_argument("--source", required=True, help="vectors to map")
    p.add_argument("--target", required=True, help="vectors to map onto")
    p.add_argument("--dictionary", help="training pairs; read by supervised mappers only")
    p.add_argument("--shared", help="words that do not move, one a line")
    p.add_argument("--seed", type=seed_number, default=0, help="of stochastic mappers")
    device_option(p, "mappers that gain by a GPU: muse, rcsls, vecmap")
    p.add_argument(
        "--max-vocabulary", type=count_number, default=200_000, help="words read of each file, the top ones"
    )
    p.add_argument("--drop-zero", action="store_true", help="leave zero vectors out instead of refusing them")
    p.add_argument("--out-source", required=True, help="mapped source vectors to write")
    p.add_argument("--out-target", required=True, help="mapped target vectors to write")
    p.add_argument("--details", help="JSON report to write")
    p.add_argument("--search", nargs="+", default=[], metavar="NAME=A|B", help="values to choose among")
    p.add_argument("--fit", help="training pairs while settings are chosen")
    p.add_argument("--validation", help="pairs that settings are chosen on")
    p.add_argument("--choice", help="JSON to write: the settings that were chosen, and how all did")
    p.add_argument("--choosing", action="store_true", help="settings are chosen with these vectors")
    p.add_argument("--published-source", help="source vectors to write, mapped by --set alone")
    p.add_argument("--published-target", help="target vectors to write, mapped by --set alone")
    p.add_argument("--published-details", help="JSON report to write of these")
    calls = cells(p)
    for args in calls:
        if args.search and not (args.fit and args.validation):
            raise ConfigError(
                "--search: name the dictionaries that settings are chosen by, --fit and --validation"
            )
    groups: dict = {}
    for number, args in enumerate(calls):
        groups.setdefault((args.mapper, args.choice or number), []).append(args)
    for group in groups.values():
        align_all(group)


def align_all(group: Sequence) -> None:
    """Align pairs of files that share a choice of settings."""
    first = group[0]
    published = settings = parse_settings(first.set)
    if first.search:
        settings = choose(group)
    for args in group:
        own = args.out_source, args.out_target, args.details
        given = args.published_source, args.published_target, args.published_details
        align(args, settings, [own, given] if settings == published and args.published_source else [own])
        if settings != published and args.published_source:
            align(args, published, [given])


def choose(group: Sequence):
    """Return the settings that are chosen for a group, and write how all did."""
    first = group[0]
    tried = candidates(
        parse_settings(first.set), parse_grid(first.search), lambda settings: build(first.mapper, settings)
    )
    spaces = [space(args) for args in group if args.choosing] or [space(args) for args in group]
    pairs = dictionary(first.fit), dictionary(first.validation)
    choice = choose_mapper(first.mapper, tried, spaces, *pairs, device_type(first.device))
    if first.choice:
        write_json(first.choice, {"mapper": first.mapper, **choice.record()})
    return choice.settings


def space(args) -> UnmappedSpace:
    """Read a pair of files."""
    shared = None if args.shared is None else [line for line in decoded_lines(args.shared) if line]
    sides = (
        read_vectors(path, args.max_vocabulary, drop_zero=args.drop_zero)
        for path in (args.source, args.target)
    )
    return UnmappedSpace(*sides, shared, args.seed)


def align(args, settings, outs) -> None:
    """Align one pair of files, and write it to each of `outs`: source, target, report."""
    mapper, own = build(args.mapper, settings), space(args)
    pairs = dictionary(args.dictionary) if args.dictionary and mapper.uses_pairs else None
    how = {"shared": own.shared, "seed": own.seed, "device": device_type(args.device)}
    aligned = refine(mapper, own.source, own.target, pairs, **how)
    logging.info("%s: %s", args.source, json.dumps(aligned.details)[:500])
    for source, target, details in outs:
        write_vectors(source, aligned.source)
        write_vectors(target, aligned.target)
        if details:
            write_json(details, {"name": args.mapper, "settings": dict(settings), **aligned.details})


if __name__ == "__main__":
    run(main)
