"""Divide a joint vocabulary between two languages: by occurrence, or by the ratio of counts (reallocation).

    crosslingua divide-vocabulary --vectors joint.vec --counts-source en.tsv --counts-target de.tsv \\
        --out-source en.vec --out-target de.vec --out-shared shared.txt --report division.json
    ... --gamma 0.7 0.8 0.9 0.95 --fit fit.txt --validation validation.txt

Without --gamma, shared is what both corpora hold. With one --gamma, Eq. 6 of joint_align decides which words stay
shared. With several, the validation dictionary chooses; without dictionaries, the mean CSLS of mutual neighbours under
an unsupervised --selection-mapper chooses. Writes `.vec` files, the shared words, and a JSON report, a list: the sizes
of the sets and examples of what moved. Lines of --cells that name one report all stand in it.
"""

from functools import lru_cache

from crosslingua.cli import cells, count_number, parser, run, seed_number, share_number
from crosslingua.errors import ConfigError
from crosslingua.io.atomic import atomic_open
from crosslingua.io.bitext import read_counts, read_dictionary
from crosslingua.io.json import write_json
from crosslingua.io.vectors import read_vectors, write_vectors
from crosslingua.mappers.mapper import build
from crosslingua.settings import parse_settings
from crosslingua.vocabulary_reallocation.spaces import (
    JointVocabulary,
    describe,
    unsupervised_values,
    validation_values,
)

counts = lru_cache(maxsize=2)(read_counts)
dictionary = lru_cache(maxsize=2)(read_dictionary)


def main() -> None:
    """Parse, then divide each joint space."""
    p = parser(__doc__)
    p.add_argument("--vectors", required=True, help="jointly trained vectors")
    p.add_argument("--counts-source", required=True, help="word counts of the source corpus")
    p.add_argument("--counts-target", required=True, help="word counts of the target corpus")
    p.add_argument(
        "--gamma", nargs="+", type=share_number, help="candidates of Eq. 6's gamma; none: by occurrence"
    )
    p.add_argument("--fit", help="dictionary that refines while gamma is chosen")
    p.add_argument("--validation", help="dictionary that gamma is chosen on")
    p.add_argument("--selection-mapper", default="procrustes", help="mapper of that refinement")
    p.add_argument("--set", nargs="*", default=[], metavar="NAME=VALUE", help="settings of the mapper")
    p.add_argument("--seed", type=seed_number, default=0, help="of that refinement")
    p.add_argument(
        "--max-vocabulary", type=count_number, default=200_000, help="most frequent words a language keeps"
    )
    p.add_argument("--out-source", required=True, help="vectors that the source can look up")
    p.add_argument("--out-target", required=True, help="vectors that the target can look up")
    p.add_argument("--out-shared", required=True, help="words that stay shared")
    p.add_argument("--report", required=True, help="JSON: sizes, examples, gamma")
    calls = cells(p)
    for args in calls:
        check(args)
    reports: dict[str, list] = {}
    for args in calls:
        reports.setdefault(args.report, []).append(divide(args))
    for path, divisions in reports.items():
        write_json(path, divisions)


def check(args) -> None:
    """Raise ConfigError for several gammas without dictionaries or an unsupervised mapper to choose by."""
    if len(args.gamma or []) < 2:
        return
    supervised = build(args.selection_mapper, parse_settings(args.set)).uses_pairs
    if supervised != bool(args.fit and args.validation):
        raise ConfigError(
            f"one of {len(args.gamma)} --gamma is chosen by translations: give dictionaries (--fit and --validation),"
            " a --selection-mapper that needs none, or a single --gamma"
        )


def divide(args) -> dict:
    """Divide one joint space, write it, and return its part of the report."""
    joint = JointVocabulary.of(
        read_vectors(args.vectors), counts(args.counts_source), counts(args.counts_target)
    )
    gamma, scores, note = choose(args, joint)
    division = joint.divide(gamma)
    space = joint.space(division, args.max_vocabulary)
    write_vectors(args.out_source, space.source)
    write_vectors(args.out_target, space.target)
    with atomic_open(args.out_shared) as stream:
        stream.writelines(f"{word}\n" for word in space.shared)
    chosen = {"seed": args.seed, "gamma": gamma, "criterion": criterion(args) + note, "candidates": scores}
    return chosen | describe(joint, division)


def criterion(args) -> str:
    """Return the name of what gamma is chosen by; "" where it is given."""
    if len(args.gamma or []) < 2:
        return ""
    return "validation P@1" if args.fit else "mean CSLS of mutual neighbours"


def choose(args, joint):
    """Return gamma, how the candidates did by the criterion that chooses (means over its queries), and a note on it."""
    if not args.gamma or len(args.gamma) == 1:
        return (args.gamma[0] if args.gamma else None), {}, ""
    mapper = build(args.selection_mapper, parse_settings(args.set))
    options = {"seed": args.seed, "max_vocabulary": args.max_vocabulary}
    if args.fit:
        pairs = dictionary(args.fit), dictionary(args.validation)
        compared = validation_values(joint, args.gamma, mapper, *pairs, **options)
    else:
        compared = unsupervised_values(joint, args.gamma, mapper, **options)
    scores = {str(gamma): float(each.mean()) for gamma, each in sorted(compared.values.items())}
    return compared.best, scores, f" ({compared.note})" if compared.note else ""


if __name__ == "__main__":
    run(main)
