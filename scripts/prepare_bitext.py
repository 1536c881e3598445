"""Normalise and tokenise parallel text: line i of one output translates line i of the other.

    crosslingua prepare-bitext --input train.en.gz train.de.gz --languages en de --lowercase \\
        --max-tokens 100 --max-ratio 3 --out-source en.txt --out-target de.txt --report report.json
    crosslingua prepare-bitext --format moses_archive --input en-hi.txt.zip --languages en hi \\
        --part 1/50 --take 30000 --out-source en.txt --out-target hi.txt --report report.json

Reads:   INPUT: two parallel files, or the one file of another --format
Writes:  OUT_SOURCE, OUT_TARGET and REPORT (JSON: pairs in and out, dropped by reason, tokens and types a side)
"""

import argparse

from crosslingua.cli import cells, parser, real_number, run
from crosslingua.corpora.datasets.readers import BITEXT_READERS
from crosslingua.corpora.pipeline import Rules, TextSide, held_out
from crosslingua.corpora.text import add_text_options, prepare_bitext, reading
from crosslingua.corpora.tokenise import TOKENISERS, default_tokeniser
from crosslingua.errors import ConfigError
from crosslingua.io.json import write_json


def main() -> None:
    """Parse, prepare, report."""
    p = parser(__doc__)
    p.add_argument("--input", nargs="+", required=True, help="two parallel files, or one file or archive")
    p.add_argument(
        "--languages", nargs=2, required=True, metavar=("SOURCE", "TARGET"), help="ISO 639-1 codes"
    )
    p.add_argument("--format", choices=list(BITEXT_READERS), default="parallel_lines")
    p.add_argument("--tokenisers", nargs=2, choices=list(TOKENISERS), help="default: by language")
    p.add_argument("--margin", type=real_number(0), help="wikimatrix: smallest margin score (default: 1.04)")
    for side in ("source", "target"):
        p.add_argument(
            f"--without-{side}", nargs="+", default=[], metavar="FILE",
            help=f"leave out the pairs whose {side} side is a sentence of these texts",
        )  # fmt: skip
    p.add_argument(
        "--max-ratio", type=real_number(1), help="leave out pairs whose longer side has more times the tokens"
    )
    add_text_options(p)
    p.add_argument("--out-source", required=True, help="text to write")
    p.add_argument("--out-target", required=True, help="text to write")
    for args in cells(p):
        prepare(args)


def prepare(args: argparse.Namespace) -> None:
    """Prepare a bitext, and report."""
    names = args.tokenisers or [default_tokeniser(language) for language in args.languages]
    sides = tuple(
        TextSide(language, name, args.lowercase, args.punctuation)
        for language, name in zip(args.languages, names, strict=True)
    )
    without = (args.without_source, args.without_target)
    rules = Rules(sides, args.max_tokens, args.max_ratio, held_out=tuple(map(held_out, without)))
    if args.margin is not None and args.format != "wikimatrix":
        raise ConfigError(f"--margin: pairs of the format {args.format} have no margin score")
    extra = {} if args.margin is None else {"margin": args.margin}
    outs = (args.out_source, args.out_target)
    report = prepare_bitext(args.input, rules, outs, args.format, reader_options=extra, **reading(args))
    write_json(args.report, report | {"without": [*args.without_source, *args.without_target]})


if __name__ == "__main__":
    run(main)
