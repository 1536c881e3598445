"""Learn the word order of a language from a treebank, for the syntax transformation of derive-language.

    crosslingua train-word-order --input fr_gsd-ud-train.conllu --source en_ewt-ud-train.conllu \\
        --out fr.order.json --report fr.order.report.json

Reads:   INPUT (CoNLL-U of the language whose order is wanted) and, if given, SOURCE (of the language that will be
         permuted): its own order then has a weight of SHARE
Writes:  OUT (JSON: weights of features) and REPORT if given (JSON: trees, nodes, features)
"""

import logging

from crosslingua.cli import count_number, parser, real_number, run, share_number
from crosslingua.io.json import write_json


def main() -> None:
    """Parse, train, mix, write."""
    p = parser(__doc__)
    p.add_argument("--input", nargs="+", required=True, help="treebanks of the target language")
    p.add_argument("--source", nargs="+", default=[], help="treebanks of the source language")
    p.add_argument(
        "--share", type=share_number, default=0.05, help="weight of the source language's order, 0 to 1"
    )
    p.add_argument("--l2", type=real_number(0), default=3.0, help="penalty on half the squared weights")
    p.add_argument("--iterations", type=count_number, default=200, help="of L-BFGS, at most")
    p.add_argument("--out", required=True)
    p.add_argument("--report")
    args = p.parse_args()

    from crosslingua.corpora.derived.order_training import train
    from crosslingua.corpora.derived.syntax import read_trees

    model, counts = train(read_trees(args.input), args.l2, args.iterations)
    report = {"target": dict(counts)}
    if args.source:
        own, counts = train(read_trees(args.source), args.l2, args.iterations)
        model, report["source"] = model.mixed_with(own, args.share), dict(counts)
    logging.info("%s: %s", args.out, report)
    model.save(args.out)
    if args.report:
        write_json(args.report, report)


if __name__ == "__main__":
    run(main)
