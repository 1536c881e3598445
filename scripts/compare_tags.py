"""Compare two systems' tags of the same sentences.

    crosslingua compare-tags --gold gold.conll --first static.conll --second contextual.conll --task ner \\
        --out comparison.json

Reads two-column files with the same words. Writes JSON: `p_value` of the sign test over sentences (number of right
tags, two-sided, exact; ties left out) and its counts. For ner and slots, of each system: the confusion of B, I and O
(rows: gold); for each sentence, the entity words (right, gold, predicted) and the entity words that also occur outside
entities (found, all). Examples are sentences in which the first system misses entity words and the second is right.
"""

from crosslingua.cli import cells, natural_number, parser, run
from crosslingua.io.json import write_json
from crosslingua.tasks.kinds import KINDS
from crosslingua.tasks.scoring import compare


def main() -> None:
    """Parse, then compare."""
    p = parser(__doc__)
    p.add_argument("--gold", required=True, help="gold tags")
    p.add_argument("--first", required=True, help="predictions of one system")
    p.add_argument("--second", required=True, help="predictions of the other")
    tagged = [name for name, kind in KINDS.items() if kind.tagged]
    p.add_argument("--task", choices=tagged, required=True, help="task of the predictions")
    p.add_argument("--examples", type=natural_number, default=10, help="sentences to show at most")
    p.add_argument("--out", required=True, help="JSON to write")
    for args in cells(p):
        found = compare(KINDS[args.task], args.gold, args.first, args.second, args.examples)
        write_json(args.out, found | {"by": "compare_tags.py"})


if __name__ == "__main__":
    run(main)
