"""Translate text word by word, by the dictionary that word vectors induce: what a translation system must beat.

    crosslingua translate-words --source en.mapped.vec --target de.mapped.vec --input test.en --out test.de

Every word becomes the best target word by CSLS; one without a vector stays. Without vectors the text is copied.
"""

from functools import lru_cache
from pathlib import Path

from crosslingua.cli import cells, parser, run
from crosslingua.errors import ConfigError
from crosslingua.io.atomic import atomic_open
from crosslingua.io.vectors import read_vectors
from crosslingua.translation.data import read_lines
from crosslingua.translation.scores import induced_dictionary, word_by_word

vectors = lru_cache(maxsize=2)(read_vectors)


def main() -> None:
    """Parse, then translate each text."""
    p = parser(__doc__)
    p.add_argument("--source", type=Path, help="vectors of the text's language")
    p.add_argument("--target", type=Path, help="vectors of the language to translate into, in the same space")
    p.add_argument("--language", default="", help="of the text: lower case differs in Turkish")
    p.add_argument("--retrieval", default="csls", help="csls or nn")
    p.add_argument("--input", required=True, type=Path, help="sentences, one a line; will be lower-cased")
    p.add_argument("--out", required=True, type=Path, help="file to write")
    for args in cells(p):
        translate(args)


def translate(args) -> None:
    """Translate one file."""
    if (args.source is None) != (args.target is None):
        raise ConfigError(
            "--source and --target: give the vectors of both languages, or of neither to copy the text"
        )
    lines = read_lines(args.input, args.language)
    dictionary = {}
    if args.source:
        words = {word for line in lines for word in line}
        read = (vectors(path, drop_zero=True) for path in (args.source, args.target))
        dictionary = induced_dictionary(*read, words, args.retrieval)
    with atomic_open(args.out) as stream:
        stream.writelines(f"{line}\n" for line in word_by_word(map(" ".join, lines), dictionary))


if __name__ == "__main__":
    run(main)
