"""Parse the sentences of text or task data, as derive_language.py takes them for transformations of syntax.

    python scripts/parse_sentences.py --model en.parser --kind text --input en.txt --out en.conllu
    python scripts/parse_sentences.py --model en.parser --kind nli --words punctuation --input train.tsv \\
        --out train.conllu

Reads:   MODEL (train_parser.py) and INPUT of a KIND, as derive_language.py reads it
Writes:  OUT (CoNLL-U: the trees of the distinct sentences, in the order in which they come first)
"""

import logging

from crosslingua.cli import cells, parser, run
from crosslingua.io.conllu_trees import write_conllu


def main() -> None:
    """Parse the command line, collect sentences, parse them, write."""
    from crosslingua.corpora.derived.files import KINDS, sentences_of
    from crosslingua.parsing.parser import Parser

    p = parser(__doc__)
    p.add_argument("--model", required=True, help="a parser")
    p.add_argument("--kind", required=True, choices=list(KINDS))
    p.add_argument("--input", required=True, help="text or task data")
    p.add_argument(
        "--words", choices=["whitespace", "punctuation"], default="whitespace", help="as derive_language.py"
    )
    p.add_argument("--out", required=True, help="CoNLL-U to write")
    for args in cells(p):
        model = Parser.load(args.model)
        found = sentences_of(args.kind, args.input, args.words)
        logging.info("%s: %d sentences", args.out, len(found))
        write_conllu(args.out, model.parse(found))


if __name__ == "__main__":
    run(main)
