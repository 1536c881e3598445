"""Lay predictions, or gold labels, out as XTREME's evaluation reads them.

    crosslingua export-xtreme --task ner --input de.conll --what predicted --out predictions/panx/test-de.tsv
    crosslingua export-xtreme --task xquad --input de.test.json --what gold --out labels/xquad/test-de.json

Reads gold data (--what gold), or predictions of crosslingua finetune. Writes a label a line, with a blank line behind
each sentence of ner and pos, or SQuAD's JSON. XTREME's program scores such folders, one for each task (udpos, panx,
xnli, pawsx, xquad, mlqa, tydiqa): `python evaluate.py --prediction_folder predictions --label_folder labels`.
"""

from crosslingua.cli import cells, parser, run
from crosslingua.tasks.kinds import KINDS, VIEWS
from crosslingua.tasks.xtreme_files import export


def main() -> None:
    """Parse, then write each file."""
    p = parser(__doc__)
    p.add_argument("--task", choices=sorted(KINDS | VIEWS), required=True, help="kind of data")
    p.add_argument("--input", required=True, help="file of gold data, or of predictions")
    p.add_argument("--what", choices=("gold", "predicted"), required=True, help="gold labels or predictions")
    p.add_argument("--out", required=True, help="file to write")
    for args in cells(p):
        export(args.task, args.input, args.what, args.out)


if __name__ == "__main__":
    run(main)
