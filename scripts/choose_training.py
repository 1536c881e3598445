"""Choose settings of training that sees a dictionary (duong, joint_replace) by held-out translations.

    crosslingua choose-training --kind duong --text en.txt de.txt --fit fit.txt --validation validation.txt \\
        --set dim=100 --search "delta=0.01|0.1" "combine=output|interpolation" --out choice.json

Trains with the settings of --set and with all combinations of the values of --search over them, on --fit, and compares
P@1 (CSLS) on --validation. Writes JSON with the chosen settings (--set's, unless others are better by more than one
standard error) and all scores. joint_replace takes the settings of fastText, and `probability`.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from crosslingua.cli import count_number, parser, run, seed_number, set_option
from crosslingua.corpora.counting import count_words
from crosslingua.io.bitext import read_dictionary
from crosslingua.io.json import write_json
from crosslingua.io.vectors import WordVectors
from crosslingua.lexicon_induction.choice import answered, apart, candidates, choose, parse_grid
from crosslingua.settings import parse_settings, read
from crosslingua.vocabulary_reallocation.spaces import JointVocabulary
from crosslingua.word_embeddings.duong import learn
from crosslingua.word_embeddings.fasttext import FastText
from crosslingua.word_embeddings.joint_replace import replace_texts
from crosslingua.word_embeddings.settings import Duong

Sides = tuple[WordVectors, WordVectors]


def main() -> None:
    """Parse, train every candidate, compare, write."""
    p = parser(__doc__)
    p.add_argument("--kind", choices=list(KINDS), required=True, help="method to train")
    p.add_argument("--text", nargs=2, type=Path, required=True, help="source text, target text")
    p.add_argument("--fit", required=True, help="dictionary that training sees")
    p.add_argument("--validation", required=True, help="dictionary that settings are compared on")
    set_option(p, "settings as they are without a choice")
    p.add_argument("--search", nargs="+", required=True, metavar="NAME=A|B", help="values to choose among")
    p.add_argument("--seed", type=seed_number, default=0, help="of training")
    p.add_argument(
        "--max-vocabulary", type=count_number, default=200_000, help="most frequent words a language keeps"
    )
    p.add_argument("--out", required=True, help="JSON to write")
    args = p.parse_args()
    fit, validation = read_dictionary(args.fit), read_dictionary(args.validation)
    apart(fit, validation)
    made, trained = KINDS[args.kind](args, fit)
    tried = candidates(parse_settings(args.set), parse_grid(args.search), made)
    choice = choose(tried, [None], lambda settings, _: answered(*trained(settings), validation))
    write_json(args.out, {"kind": args.kind, "seed": args.seed, **choice.record()})


def duong(args, fit) -> tuple[Callable, Callable[[Mapping[str, str]], Sides]]:
    """Return how settings are read and trained; variants of `combine` share one training."""

    def made(settings: Mapping[str, str]) -> Duong:
        return read(Duong, "duong", {"max_vocabulary": args.max_vocabulary} | dict(settings))

    @cache
    def learnt(options: Duong):
        return learn(*args.text, fit, options, seed=args.seed)

    def trained(settings: Mapping[str, str]) -> Sides:
        options = made(settings)
        return learnt(replace(options, combine=Duong.combine)).vectors(options)

    return made, trained


def joint_replace(args, fit) -> tuple[Callable, Callable[[Mapping[str, str]], Sides]]:
    """Return how settings are read, and how they are trained: fastText, and the probability of replacing."""
    counts = [count_words(path) for path in args.text]

    def made(settings: Mapping[str, str]) -> tuple[FastText, float]:
        rest = dict(settings)
        probability = float(rest.pop("probability", 0.5))
        return read(FastText, "joint_replace", rest), probability

    def trained(settings: Mapping[str, str]) -> Sides:
        library, probability = made(settings)
        with TemporaryDirectory() as folder:
            texts = replace_texts(args.text, fit, folder, seed=args.seed, probability=probability)
            vectors = library.train(texts, seed=args.seed, max_vocabulary=2 * args.max_vocabulary)
        joint = JointVocabulary.of(vectors, *counts)
        space = joint.space(joint.divide(None), args.max_vocabulary)
        return space.source, space.target

    return made, trained


KINDS = {"duong": duong, "joint_replace": joint_replace}


if __name__ == "__main__":
    run(main)
