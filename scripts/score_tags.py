"""Score predicted tags against gold ones.

    python scripts/score_tags.py --gold gold.conll --hypothesis predicted.conll --task ner --out f1.json

Reads two-column files with the same words. Writes JSON, values in percent. For ner and slots: `f1`, `precision`,
`recall` of BIO2 spans, micro-averaged, in the mode of --mode (strict; conll: an I-X that goes on nothing begins a
span). For pos: `accuracy`; `f1`, of runs of equal tags, which is what seqeval makes of tags without prefixes and what
XTREME and align_mlm report; `weighted_f1`, of single tags. `per_sentence`: values whose mean is `f1`, for confidence
intervals. Options with several values score many files in one process.
"""

from crosslingua.cli import parser, run
from crosslingua.errors import ConfigError
from crosslingua.io.json import write_json
from crosslingua.tasks.report import with_training
from crosslingua.tasks.scoring import score_tags


def main() -> None:
    """Parse and score each pair of files."""
    p = parser(__doc__)
    p.add_argument("--gold", nargs="+", required=True, help="gold tags")
    p.add_argument(
        "--hypothesis", nargs="+", required=True, help="predicted tags, one file for each gold file"
    )
    p.add_argument("--task", choices=["ner", "slots", "pos"], required=True, help="what the tags are")
    p.add_argument("--mode", choices=["strict", "conll"], default="strict", help="how spans are read")
    p.add_argument("--out", nargs="+", required=True, help="JSON files to write")
    args = p.parse_args()
    if len({len(args.gold), len(args.hypothesis), len(args.out)}) > 1:
        raise ConfigError("--gold, --hypothesis and --out must have equally many values")
    for gold, hypothesis, out in zip(args.gold, args.hypothesis, args.out, strict=True):
        write_json(out, with_training(score_tags(gold, hypothesis, args.task, args.mode), hypothesis))


if __name__ == "__main__":
    run(main)
