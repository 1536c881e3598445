"""Train a dependency parser on treebanks, for parse_sentences.py; it predicts parts of speech too.

    python scripts/train_parser.py --input en_partut-ud-train.conllu --out en.parser --report en.parser.json

Reads:   INPUT (CoNLL-U)
Writes:  OUT (weights and vocabulary) and REPORT (JSON: attachment scores and accuracy of parts of speech on every tenth
         sentence, which this training had not seen; the parser that is written has seen all)
"""

import logging

from crosslingua.cli import count_number, parser, run, seed_number
from crosslingua.io.json import write_json


def main() -> None:
    """Parse, train without a tenth and score, train on all, write."""
    p = parser(__doc__)
    p.add_argument("--input", nargs="+", required=True, help="treebanks")
    p.add_argument("--seed", type=seed_number, default=1)
    p.add_argument("--epochs", type=count_number, default=20, help="passes over the trees")
    p.add_argument("--out", required=True)
    p.add_argument("--report", required=True)
    args = p.parse_args()

    from crosslingua.corpora.derived.syntax import read_trees
    from crosslingua.parsing.parser import accuracies, train

    trees = list(read_trees(args.input))
    held = trees[9::10]
    rest = [tree for index, tree in enumerate(trees) if index % 10 != 9]
    found = accuracies(train(rest, args.seed, args.epochs), held) if held else {}
    report = {"trees": len(trees), "held_out": len(held), **found}
    logging.info("%s: %s", args.out, report)
    train(trees, args.seed, args.epochs).save(args.out)
    write_json(args.report, report)


if __name__ == "__main__":
    run(main)
