"""Measure how far two languages are apart: spelling of translations, and crossing links, in parallel text.

    crosslingua measure-distance --source bitext.en --target bitext.de --links bitext.links --out distance.json

Writes JSON, in percent: `lexical` (LDND of linked words), `order` (pairs of links that cross), and `distance`, their
mean. src/crosslingua/report/language_distance.py says how they are defined.
"""

from crosslingua.cli import cells, count_number, parser, run
from crosslingua.encoder_alignment.signal import AlignedText
from crosslingua.io.decode import lowercase
from crosslingua.io.json import write_json
from crosslingua.report.language_distance import measure


def main() -> None:
    """Parse, then measure pair by pair."""
    p = parser(__doc__)
    p.add_argument("--source", required=True, help="tokenised text")
    p.add_argument("--target", required=True, help="the translation, line by line")
    p.add_argument("--links", required=True, help="links of their words, Pharaoh's format")
    p.add_argument("--reversed", action="store_true", help="the links go from target to source")
    p.add_argument("--lowercase", action="store_true", help="compare words in lower case")
    p.add_argument(
        "--languages", nargs=2, default=["", ""], help="of the texts: lower case differs in Turkish"
    )
    p.add_argument("--sentences", type=count_number, default=30_000, help="sentence pairs that are read")
    p.add_argument("--out", required=True, help="JSON to write")
    for args in cells(p):
        text = AlignedText.read(args.source, args.target, args.links, args.sentences, args.reversed)
        sides = [text.source, text.target]
        if args.lowercase:
            sides = [cased(side, language) for side, language in zip(sides, args.languages, strict=True)]
        write_json(args.out, measure(zip(*sides, strict=True), text.links) | {"by": "measure_distance.py"})


def cased(sentences, language):
    """Return sentences of words in lower case."""
    return [[lowercase(word, language) for word in sentence] for sentence in sentences]


if __name__ == "__main__":
    run(main)
