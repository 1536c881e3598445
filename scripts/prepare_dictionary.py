"""Prepare a bilingual dictionary in MUSE's format: `source target` a line, for training, validation and testing.

    crosslingua prepare-dictionary --format xling_eval --train yacle.train.freq.5k.en-de.tsv --lowercase \\
        --validation-share 0.1 --out-train train.txt --out-fit fit.txt --out-validation validation.txt
    crosslingua prepare-dictionary --format muse_full --train en-de.dict --test en-de.dict \\
        --out-train train.txt --out-test test.txt

OUT_TRAIN is the published training set; OUT_VALIDATION is VALIDATION_SHARE of its source words, OUT_FIT the rest.
OUT_TEST leaves out the source words of the training set: lower case lets some meet. Full dictionaries (muse_by_rank,
muse_full) are divided as MUSE does: source words 0 to 5,000 train, 5,000 to 6,500 test. Files of the other formats are
published splits already; where TEST names the files of TRAIN, half of their source words train, the others test.

With BITEXT, two files of sentences, and their LINKS, the words that train are those that are linked with each other
best, but for the source words of the test set.

Reads:   TRAIN and TEST, one or several files of one format; BITEXT and LINKS (Pharaoh's format)
Writes:  the given OUT_... files, and REPORT (JSON, by split: pairs, sources, dropped by reason)
"""

import argparse
import logging

from crosslingua.cli import count_number, parser, run, seed_number, share_number
from crosslingua.corpora.datasets.readers import DICTIONARY_READERS
from crosslingua.corpora.dictionaries import divide_dictionary
from crosslingua.errors import ConfigError
from crosslingua.io.bitext import write_dictionary
from crosslingua.io.json import write_json
from crosslingua.word_aligners.lexicon import read_linked_words

NEEDED = {
    "train": "--train",
    "fit": "--train and --validation-share",
    "validation": "--train and --validation-share",
    "test": "--test",
}


def main() -> None:
    """Parse, prepare, write."""
    args = options().parse_args()
    if bool(args.bitext) != bool(args.links):
        raise ConfigError("--bitext and --links need each other")
    linked = (
        read_linked_words(args.bitext, args.links, args.languages, lower=args.lowercase)
        if args.bitext
        else None
    )
    splits = divide_dictionary(
        args.train,
        args.test,
        args.validation_share,
        args.words,
        linked,
        format=args.format,
        languages=tuple(args.languages),
        lower=args.lowercase,
        seed=args.seed,
        without_same_surface=args.drop_same_surface,
    )
    outs = {name: out for name in NEEDED if (out := getattr(args, f"out_{name}"))}
    for name in outs:
        if name not in splits:
            raise ConfigError(f"--out-{name} needs {NEEDED[name]}")
    for name, out in outs.items():
        pairs, report = splits[name]
        write_dictionary(out, pairs)
        logging.info("%s: %s", out, report)
    if args.report:
        write_json(args.report, {name: splits[name][1] for name in outs})


def options() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    p = parser(__doc__)
    p.add_argument("--train", nargs="+", default=[], help="published training set, or full dictionary")
    p.add_argument("--test", nargs="+", default=[], help="published test set, or full dictionary")
    p.add_argument("--format", choices=list(DICTIONARY_READERS), default="muse")
    p.add_argument(
        "--validation-share", type=share_number, default=0.0, help="share of the training words held out"
    )
    p.add_argument(
        "--words", type=count_number, help="at most so many source words train; the test set stays"
    )
    p.add_argument("--bitext", nargs=2, metavar=("SOURCE", "TARGET"), help="sentences whose words train")
    p.add_argument("--links", help="the links of their words")
    p.add_argument("--seed", type=seed_number, default=0, help="which words are held out")
    p.add_argument(
        "--languages", nargs=2, default=("", ""), help="source and target, for the case of Turkish"
    )
    p.add_argument("--lowercase", action="store_true")
    p.add_argument("--drop-same-surface", action="store_true", help="leave out pairs spelled alike")
    for name in NEEDED:
        p.add_argument(f"--out-{name}", help=f"{name} dictionary to write")
    p.add_argument("--report", help="JSON to write")
    return p


if __name__ == "__main__":
    run(main)
