"""Say for two texts whether to align, to train jointly, or both; give the dictionary and the vectors that follow.

    crosslingua ask --source text.sw --target text.en --dictionary pairs.txt
    make ask SOURCE=text.sw TARGET=text.en DICTIONARY=pairs.txt

Reads two texts (UTF-8, a sentence a line, compressed or not) and a dictionary (`source target` a line), of which three
in ten words are held out to test. Without a dictionary, only “both” runs, and nothing is compared. Writes to
results/ask_SOURCE_TARGET: answer.html, report.html, dictionary.tsv (all words, with confidence) and the vectors. Its
first lines say how long it will take.

What you have competes too. --vectors sw.vec en.vec are word vectors, which the dictionary maps. --bitext bitext.sw
bitext.en is parallel text, whose words are aligned; one file works too, TMX or a sentence, a tab and its translation a
line. Texts that are parallel themselves, line by line, are noticed and aligned. --model is an encoder, whose vectors of
single words compete as they are, and mapped by the dictionary.
"""

import argparse
import re
from pathlib import Path

from crosslingua import cli
from crosslingua.errors import ConfigError
from crosslingua.two_texts.run import ask
from crosslingua.workflow.configuration import LONGEST_LIST


def main() -> None:
    """Parse, run, answer."""
    p = cli.parser(__doc__)
    p.add_argument("--source", type=Path, required=True, help="text of the source language")
    p.add_argument("--target", type=Path, required=True, help="text of the target language")
    p.add_argument("--dictionary", type=Path, help="pairs of words; without one, nothing is compared")
    p.add_argument(
        "--vectors", nargs=2, type=Path, metavar=("SOURCE", "TARGET"),
        help="your own word vectors (.vec), which compete too; the dictionary maps them",
    )  # fmt: skip
    p.add_argument(
        "--bitext", nargs="+", type=Path, default=[], metavar="FILE",
        help="parallel text, whose word alignment competes too: two files, TMX, or a tab in each line",
    )  # fmt: skip
    p.add_argument(
        "--model", default="", metavar="NAME",
        help="encoder, a Hugging Face folder or name, whose word vectors compete too",
    )  # fmt: skip
    p.add_argument(
        "--languages", nargs=2, metavar=("SOURCE", "TARGET"), help="codes; default: the suffixes of the texts"
    )
    p.add_argument(
        "--seeds", type=cli.whole_number(1, LONGEST_LIST), default=3, help="training runs; 1 for a first look"
    )
    p.add_argument("--results", help="folder in place of results/ where you stand")
    p.add_argument("--cores", type=cores, default="all", help="of the machine, for Snakemake")
    args = p.parse_args()
    if Path() in (args.source, args.target):
        raise ConfigError("a text is not named: say make ask SOURCE=text.sw TARGET=text.en")
    how = {name: getattr(args, name) for name in ("languages", "seeds", "cores", "results", "bitext")}
    how |= {"vectors": args.vectors and tuple(args.vectors), "encoder": args.model}
    print(ask(args.source, args.target, args.dictionary, **how).text)


def cores(text: str) -> str:
    """Return a number of cores, or `all`, as Snakemake takes it."""
    if text != "all" and not re.fullmatch("[1-9][0-9]{0,5}", text):
        raise argparse.ArgumentTypeError(f"{text[:40]}: write a whole number from 1, or all")
    return text


if __name__ == "__main__":
    cli.run(main)
