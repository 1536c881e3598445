"""Score retrieved translations again, under any rule, without the vectors.

    crosslingua score-lexicon --predictions answers.tsv --dictionary test.txt --oov paper muse --out
    bli.json

Reads the predictions that induce-lexicon wrote and the dictionary it was given (or one with fewer of the
same words). Writes the same JSON: an object, or a list for several conventions.
"""

from pathlib import Path

from crosslingua import cli
from crosslingua.lexicon_induction import bli
from crosslingua.lexicon_induction.bli import read_predictions


def main() -> None:
    """Parse, then score each file of predictions."""
    parser = cli.parser(__doc__)
    parser.add_argument("--predictions", type=Path, required=True, help="TSV of induce-lexicon")
    bli.add_scoring(parser)
    for args in cli.cells(parser):
        found, pairs = read_predictions(args.predictions), bli.dictionary(args.dictionary)
        cli.write_scores(args.out, bli.scored(found, pairs, args, by="score_lexicon.py"))


if __name__ == "__main__":
    cli.run(main)
