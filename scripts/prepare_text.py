"""Normalise and tokenise text: one sentence a line, tokens joined by one space.

    crosslingua prepare-text --input train.1.de.gz train.2.de.gz --language de --tokeniser moses \\
        --lowercase --max-tokens 100 --dedup --threads 2 --out text.txt --report report.json
    crosslingua prepare-text --input wikitext-2-v1.zip::wikitext-2/wiki.train.tokens --language en \\
        --format wikitext_csv --tokeniser none --split-sentences --out en.txt --report en.json

Reads:   INPUT: files, compressed or not, pipes, or ARCHIVE::MEMBER; the texts of --without, whose sentences
         are left out in whatever case and punctuation (test sets)
Writes:  OUT (the text) and REPORT (JSON: lines in and out, dropped by reason, characters replaced and removed,
         tokens, types)
"""

import argparse

from crosslingua.cli import cells, count_number, natural_number, parser, run
from crosslingua.corpora.datasets.readers import TEXT_READERS
from crosslingua.corpora.pipeline import Rules, TextSide, held_out
from crosslingua.corpora.text import add_text_options, prepare_text, reading
from crosslingua.corpora.tokenise import TOKENISERS, default_tokeniser
from crosslingua.errors import ConfigError
from crosslingua.io.decode import SEPARATOR
from crosslingua.io.json import write_json


def main() -> None:
    """Parse, prepare, report."""
    p = parser(__doc__)
    p.add_argument("--input", nargs="+", required=True, help="texts, read one after the other")
    p.add_argument("--member", help="read this member of each input, an archive")
    p.add_argument(
        "--column", type=count_number, help="take this column, from 1, of lines with tabs (default: all)"
    )
    p.add_argument(
        "--without", nargs="+", default=[], metavar="FILE", help="leave out the sentences of these texts"
    )
    p.add_argument("--language", required=True, help="ISO 639-1 code, or the name of a generated language")
    p.add_argument("--format", choices=list(TEXT_READERS), default="lines")
    p.add_argument(
        "--tokeniser", choices=list(TOKENISERS), help="default: by language; none: tokenised already"
    )
    p.add_argument("--min-tokens", type=natural_number, default=1, help="tokens; leave out shorter sentences")
    p.add_argument("--split-sentences", action="store_true", help="split paragraphs after final marks")
    add_text_options(p)
    p.add_argument("--out", required=True, help="text to write")
    for args in cells(p):
        prepare(args)


def prepare(args: argparse.Namespace) -> None:
    """Prepare a text, and report."""
    tokeniser = args.tokeniser or default_tokeniser(args.language)
    side = TextSide(args.language, tokeniser, args.lowercase, args.punctuation)
    if args.max_tokens is not None and args.min_tokens > args.max_tokens:
        raise ConfigError(f"--min-tokens {args.min_tokens} is above --max-tokens {args.max_tokens}")
    rules = Rules(
        (side,),
        args.max_tokens,
        split_sentences=args.split_sentences,
        held_out=(held_out(args.without),),
        min_tokens=args.min_tokens,
    )
    inputs = [f"{path}{SEPARATOR}{args.member}" for path in args.input] if args.member else args.input
    report = prepare_text(inputs, rules, args.out, args.format, column=args.column, **reading(args))
    write_json(args.report, report | {"without": args.without})


if __name__ == "__main__":
    run(main)
