"""Retrieve the translations of a dictionary's words between two mapped vector files, and score them.

    crosslingua induce-lexicon --source en.mapped.vec --target de.mapped.vec --dictionary test.txt \\
        --retrieval csls --oov muse --out bli.json --predictions answers.tsv

Reads `.vec` vectors and a dictionary (`source target` a line). Writes JSON: p_at_1, p_at_5, p_at_10 and their 95%
bootstrap intervals, coverage (all 0-100), n_queries, signature, and each query's first correct rank. Several values of
--retrieval, --oov or --identical give a list of such objects, nested in this order. score-lexicon scores a
predictions file again without the vectors.

Without --dictionary, the --queries most frequent source words are translated, and --predictions is the induced lexicon.
The JSON then has mean_cosine (of queries and their best candidates), mutual (0-100) and n_queries.
"""

from pathlib import Path

from crosslingua import cli
from crosslingua.io.json import read_json
from crosslingua.io.vectors import read_vectors
from crosslingua.lexicon_induction import RETRIEVALS, bli, unsupervised
from crosslingua.lexicon_induction.bli import write_predictions
from crosslingua.lexicon_induction.degenerate import is_degenerate, mark_degenerate
from crosslingua.lexicon_induction.retrieval import device_type


def main() -> None:
    """Parse, then retrieve and score."""
    parser = cli.parser(__doc__)
    parser.add_argument("--source", type=Path, required=True, help="vectors of the source language")
    parser.add_argument("--target", type=Path, required=True, help="vectors of the target language")
    parser.add_argument("--retrieval", nargs="+", default=["csls"], help=f"of {', '.join(RETRIEVALS)}")
    parser.add_argument("--neighbours", type=cli.count_number, default=10, help="k of CSLS")
    parser.add_argument(
        "--max-vocabulary", type=cli.count_number, default=200_000, help="words of either side, most frequent"
    )
    parser.add_argument(
        "--drop-zero", action="store_true", help="leave zero vectors out instead of refusing them"
    )
    cli.device_option(parser, "the search")
    parser.add_argument("--predictions", type=Path, help="also write the ten best candidates, as TSV")
    parser.add_argument(
        "--queries",
        type=cli.count_number,
        default=unsupervised.QUERIES,
        help="source words asked without a dictionary",
    )
    parser.add_argument(
        "--mapping",
        type=Path,
        help="JSON report of align-vectors: the scores say where a map is degenerate",
    )
    bli.add_scoring(parser, optional_dictionary=True)
    calls = cli.cells(parser)
    for args in calls:
        for name in args.retrieval:
            RETRIEVALS.member(name)  # a typo ends here, before anything is read
    for args in calls:
        induce(args)


def induce(args) -> None:
    """Retrieve the translations between two files of vectors, and score them."""
    args.device = device_type(args.device)
    source, target = (
        read_vectors(path, args.max_vocabulary, drop_zero=args.drop_zero)
        for path in (args.source, args.target)
    )
    found, scores = (with_gold if args.dictionary else without_gold)(source, target, args)
    if args.mapping and is_degenerate(read_json(args.mapping, dict)):
        scores = mark_degenerate(scores)
    if args.predictions:
        write_predictions(args.predictions, found)
    cli.write_scores(args.out, scores)


def with_gold(source, target, args):
    """Return the answers to the words of a dictionary, and their scores."""
    pairs = bli.dictionary(args.dictionary)
    limits = {name: getattr(args, name) for name in ("neighbours", "max_vocabulary", "device")}
    found = [bli.predict(source, target, pairs, name, **limits) for name in args.retrieval]
    return found, bli.scored(found, pairs, args, by="induce_lexicon.py")


def without_gold(source, target, args):
    """Return the translations of the most frequent words, and the criteria that need no gold."""
    limits = {name: getattr(args, name) for name in ("neighbours", "max_vocabulary", "device")}
    made = [
        unsupervised.induce(source, target, name, queries=args.queries, **limits) for name in args.retrieval
    ]
    found, criteria = zip(*made, strict=True)
    return found, bli.signed(criteria, by="induce_lexicon.py")


if __name__ == "__main__":
    cli.run(main)
