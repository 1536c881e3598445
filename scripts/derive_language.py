"""Make a derived language of text or task data: another script, inverted sentences, another word order.

    crosslingua derive-language --transform trans_inv --kind text --input en.txt --out en_derived.txt \\
        --dictionary gold.txt --seed 1 --report report.json
    crosslingua derive-language --transform trans_syn --kind ner --input train.conll --trees train.conllu \\
        --order fr.order.json --out train.derived.conll --seed 1
    crosslingua derive-language --transform trans_inv --kind nli --input nli.tsv --words punctuation \\
        --overlap 0.25 --out nli.derived.tsv --seed 1

All files of one language need the same seed, script and overlap, so a word has one spelling. `trans_inv` inverts and
then changes the script, `trans_syn` permutes and then changes the script.

Reads:   INPUT (text: a sentence or more a line, or CoNLL-U; trees: CoNLL-U; ner, slots, pos: token<TAB>label;
         nli, paraphrase: TSV; qa: SQuAD 1.1), for syntax ORDER (from train-word-order) and the TREES of its
         sentences
Writes:  OUT (the same format), DICTIONARY if given (MUSE format: word, derived word, most frequent first), REPORT
         if given (JSON: records and what could not be kept)
"""

import argparse
import logging
from collections import Counter
from functools import lru_cache
from typing import Any

from crosslingua.cli import cells, parser, run, seed_number, share_number
from crosslingua.corpora.derived.files import KINDS, TRANSFORMS, Derivation, derive_file, is_treebank
from crosslingua.corpora.derived.syntax import Inverted, Order, Permuted, read_trees
from crosslingua.corpora.derived.transliteration import (
    SCRIPTS,
    Transliteration,
    gold_dictionary,
    sample_dictionary,
)
from crosslingua.errors import ConfigError
from crosslingua.io.bitext import write_dictionary
from crosslingua.io.json import write_json


def main() -> None:
    """Parse, derive, write the dictionary, report."""
    p = parser(__doc__, outputs=["dictionary"])
    p.add_argument("--transform", required=True, choices=list(TRANSFORMS))
    p.add_argument("--kind", required=True, choices=list(KINDS))
    p.add_argument("--input", required=True, help="a compressed file or ARCHIVE::MEMBER too")
    p.add_argument("--out", required=True)
    p.add_argument(
        "--seed", type=seed_number, required=True, help="of the script, the shared words, the drawn orders"
    )
    p.add_argument("--script", choices=list(SCRIPTS), default="hangul", help="of the derived words")
    p.add_argument(
        "--overlap", type=share_number, default=0.0, help="share of the vocabulary that is kept, 0 to 1"
    )
    p.add_argument("--sentence-ends", nargs="+", default=["."], help="words that end a sentence")
    p.add_argument(
        "--words",
        choices=["whitespace", "punctuation"],
        default="whitespace",
        help="how words are found in text, pairs and questions: tokenised, or raw",
    )
    p.add_argument("--order", help="word order of the target language")
    p.add_argument("--trees", nargs="+", default=[], help="trees of the input's sentences")
    p.add_argument("--lowercase-trees", action="store_true", help="lower-cased input, cased trees")
    p.add_argument("--dictionary", help="gold dictionary to write, of the words in INPUT")
    p.add_argument(
        "--dictionary-share", type=share_number, default=1.0, help="random share of the dictionary"
    )
    p.add_argument("--report", help="JSON to write")
    for args in cells(p):
        counts = derive(args)
        logging.info("%s: %s", args.out, counts)
        if args.report:
            write_json(args.report, counts)


def derive(args: argparse.Namespace) -> dict[str, Any]:
    """Derive one file, with its dictionary if that is asked for; return its report."""
    order_name, respelled = TRANSFORMS[args.transform]
    if args.dictionary and not respelled:
        raise ConfigError(f"--dictionary: {args.transform} changes no word, so there is none")
    syntax: Counter[str] = Counter()
    transliteration = Transliteration(args.seed, args.script, args.overlap) if respelled else None
    derivation = Derivation(order(args, order_name, syntax), transliteration)
    counts = derive_file(args.kind, args.input, args.out, derivation, args.words)
    if args.dictionary:
        pairs = gold_dictionary(derivation.counts, transliteration)
        if args.dictionary_share < 1:
            pairs = sample_dictionary(pairs, args.dictionary_share, args.seed)
        write_dictionary(args.dictionary, pairs)
        counts["dictionary"] = len(pairs)
    return {"transform": args.transform, **counts, "types": len(derivation.counts), "syntax": dict(syntax)}


def order(args: argparse.Namespace, name: str | None, counts: Counter[str]) -> Order | None:
    """Return the order of words that the transformation asks for."""
    if name == "inversion":
        return Inverted(args.sentence_ends)
    if name is None:
        return None
    if not args.order:
        raise ConfigError(
            f"--transform {args.transform} needs --order, a model from crosslingua train-word-order"
        )
    if not args.trees and not is_treebank(args.input):
        raise ConfigError(
            f"--transform {args.transform} needs --trees: CoNLL-U files of the input's sentences"
        )
    return Permuted(
        *model_and_trees(args.order, *args.trees, lowercase=args.lowercase_trees), args.seed, counts
    )


@lru_cache(maxsize=1)
def model_and_trees(order: str, *trees: str, lowercase: bool) -> tuple[Any, list[Any]]:
    """Read the word order and the trees once for all files that they serve."""
    from crosslingua.corpora.derived.syntax import OrderModel

    return OrderModel.load(order), list(read_trees(trees, lowercase))


if __name__ == "__main__":
    run(main)
