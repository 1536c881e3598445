"""Score predictions of a task against gold ones.

    crosslingua score-predictions --gold gold.conll --hypothesis predicted.conll --task ner --out f1.json
    crosslingua score-predictions --gold gold.tsv --hypothesis predicted.txt --task nli --out accuracy.json

Tags (ner, slots, pos) stand in two-column files with the same words. Classes (nli, paraphrase) stand in a TSV of pairs
and in a file with a label a line, in the same order. Writes JSON, values in percent. For ner and slots: `f1`,
`precision`, `recall` of BIO2 spans, micro-averaged; `f1_conll`, where an I-X that goes on nothing begins a span. For
pos: `f1` of runs of equal tags, as seqeval, XTREME and align_mlm count; `accuracy` and `weighted_f1` of single tags;
`majority_accuracy` of always the most frequent tag. For classes: `accuracy`, and `majority`, the accuracy of the most
frequent label. For questions (qa; gold in SQuAD's format, predictions by question id): `em` and `f1` by SQuAD's rule,
and with --language `em_mlqa` and `f1_mlqa` by MLQA's rule. `per_sentence`: values whose mean is `f1` (of classes:
`accuracy`), for confidence intervals. With --train, `shortcut_f1` and so on: the same scores of the best reader without
an encoder (tasks/shortcuts.py), which learns from --share of the training data.
"""

from crosslingua.cli import cells, parser, run, share_number, write_scores
from crosslingua.tasks.kinds import KINDS, VIEWS, score


def main() -> None:
    """Parse, then score."""
    p = parser(__doc__)
    p.add_argument("--gold", required=True, help="gold tags, or gold pairs")
    p.add_argument("--hypothesis", required=True, help="predictions")
    scored = [name for name, kind in (KINDS | VIEWS).items() if kind.form.scored]
    p.add_argument("--task", choices=scored, required=True, help="task of the predictions")
    p.add_argument("--out", required=True, help="JSON to write")
    p.add_argument(
        "--language", default="", help="language of the answers (qa): MLQA's rule ignores its articles"
    )
    p.add_argument("--train", default="", help="training data, to score shortcuts too (tasks/shortcuts.py)")
    p.add_argument(
        "--share", type=share_number, default=1.0, help="of --train that the tagger learnt from, 0 to 1"
    )
    p.add_argument(
        "--lowercase", action="store_true", help="shortcuts see words in lower case, as the tagger does"
    )
    for args in cells(p):
        scores = score(args.task, args.gold, args.hypothesis, args.language)
        if args.train:
            from crosslingua.tasks.shortcuts import shortcut_scores

            read = args.language, args.share, args.lowercase
            scores = shortcut_scores(args.task, args.train, args.gold, *read) | scores
        write_scores(args.out, scores | {"by": "score_predictions.py"})


if __name__ == "__main__":
    run(main)
