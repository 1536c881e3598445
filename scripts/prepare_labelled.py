"""Prepare a split of labelled data: tagged sentences, sentence pairs or questions, as the suite's contract files.

    crosslingua prepare-labelled --dataset conll2003 --task ner --language en --split train \\
        --data-dir data --out train.conll --report train.json
    crosslingua prepare-labelled --dataset conll2002 --task pos --language es --split test --data-dir data \\
        --universal data/universal-tagset/universal_tagset.zip --out test.conll --report test.json
    crosslingua prepare-labelled --format conll2003 --input mine.txt --task ner --language en \\
        --out mine.conll --report mine.json

Reads:   DATA_DIR/DATASET/<file>, or INPUT (files, compressed files, ARCHIVE::MEMBER) of one FORMAT
Writes:  OUT (ner, pos, slots: token<TAB>label, BIO2; nli, paraphrase: TSV with header; qa: SQuAD 1.1) and
         REPORT (JSON: sentences, tokens, labels; what was dropped and repaired)
"""

import argparse
import logging
from collections import Counter

from crosslingua.cli import count_number, parser, run, seed_number
from crosslingua.corpora.labelled.prepare import (
    Request,
    formats,
    map_slots,
    read,
    read_split,
    spread,
    to_universal,
    write_split,
)
from crosslingua.corpora.labelled.splits import labelled_set
from crosslingua.errors import ConfigError
from crosslingua.io.json import write_json
from crosslingua.tasks.kinds import KINDS


def main() -> None:
    """Parse, read, write, report."""
    args = options().parse_args()
    if args.dataset:
        if not args.split:
            splits = ", ".join(labelled_set(args.dataset).splits(args.language))
            raise ConfigError(f"--dataset needs --split: {args.dataset} has {splits} in {args.language}")
        records, counts = read_split(
            args.dataset, args.task, args.language, args.split, args.data_dir, args.seed
        )
        if args.slots_as:
            records = map_slots(records, labelled_set(args.dataset), args.slots_as)
        if args.universal:
            records = to_universal(records, labelled_set(args.dataset), args.language, args.universal)
    else:
        if not args.format:
            raise ConfigError("--input needs --format")
        counts = Counter()
        records = list(read(args.format, args.input, Request(args.task, args.language), counts))
    records = [records[row] for row in spread(len(records), args.take or len(records))]
    report = write_split(args.out, records, args.task) | {"counts": dict(+counts)}
    logging.info("%s: %s", args.out, report)
    write_json(args.report, report)


def options() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    p = parser(__doc__)
    source = p.add_mutually_exclusive_group(required=True)
    source.add_argument("--dataset", help="a set of the table of labelled data sets")
    source.add_argument("--input", nargs="+", help="your files, of one format")
    p.add_argument("--format", choices=formats(), metavar="FORMAT", help=f"of INPUT: {', '.join(formats())}")
    p.add_argument("--task", required=True, choices=list(KINDS))
    p.add_argument("--language", required=True, help="ISO 639-1 code")
    p.add_argument("--split", help="a split of DATASET")
    p.add_argument("--data-dir", default="data", help="folder of fetched data sets")
    p.add_argument(
        "--universal", metavar="MAPS", help="turn POS into the 12 universal tags: universal_tagset.zip"
    )
    p.add_argument("--slots-as", metavar="SET", help="rename slot types as in another set, e.g. xsid")
    p.add_argument(
        "--take", type=count_number, help="write at most so many sentences, pairs or articles, evenly spaced"
    )
    p.add_argument("--seed", type=seed_number, default=1, help="seed for dividing published splits")
    p.add_argument("--out", required=True, help="contract file to write")
    p.add_argument("--report", required=True, help="JSON to write")
    return p


if __name__ == "__main__":
    run(main)
