"""Score predicted classes of sentence pairs against gold ones.

    python scripts/score_classes.py --gold gold.tsv --hypothesis predicted.txt --task nli --out accuracy.json

Reads a TSV of pairs and a file with one label a line, in the same order. Writes JSON: `accuracy` in percent, and
`per_sentence` (100 or 0 a pair). Options with several values score many files in one process.
"""

from crosslingua.cli import parser, run
from crosslingua.errors import ConfigError
from crosslingua.io.json import write_json
from crosslingua.tasks.report import with_training
from crosslingua.tasks.scoring import score_classes


def main() -> None:
    """Parse and score each pair of files."""
    p = parser(__doc__)
    p.add_argument("--gold", nargs="+", required=True, help="gold pairs")
    p.add_argument(
        "--hypothesis", nargs="+", required=True, help="predicted labels, one file for each gold file"
    )
    p.add_argument("--task", choices=["nli", "paraphrase"], required=True, help="what the labels are")
    p.add_argument("--out", nargs="+", required=True, help="JSON files to write")
    args = p.parse_args()
    if len({len(args.gold), len(args.hypothesis), len(args.out)}) > 1:
        raise ConfigError("--gold, --hypothesis and --out must have equally many values")
    for gold, hypothesis, out in zip(args.gold, args.hypothesis, args.out, strict=True):
        write_json(out, with_training(score_classes(gold, hypothesis, args.task), hypothesis))


if __name__ == "__main__":
    run(main)
