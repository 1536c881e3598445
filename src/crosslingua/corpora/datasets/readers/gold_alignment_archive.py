"""The word-alignment benchmark of XLM-Align: `<root>/<pair>/{test.<l1>,test.<l2>,alignv2.txt,align.txt}` in a tar."""

from collections import Counter
from pathlib import Path

from crosslingua.errors import InputError
from crosslingua.io.bitext import read_bitext
from crosslingua.io.decode import SEPARATOR, members, tokens_of
from crosslingua.io.pharaoh import Links, read_numbered_links

LINK_FILES = ("alignv2.txt", "align.txt")  # the first tells sure from possible links; en-cs lacks it


def pairs(archive: str | Path) -> list[str]:
    """Return the language pairs in the archive, such as `de-en`."""
    return sorted({name.split("/")[-2] for name in members(archive) if name.split("/")[-1] in LINK_FILES})


def read(
    archive: str | Path, pair: str, counts: Counter[str] | None = None
) -> tuple[list[tuple[str, str]], list[Links]]:
    """Return the sentence pairs of `pair`, tokens joined by one space, and their gold links, 0-based.

    The pair is named as its folder, `<l1>-<l2>`; links point from l1 to l2. See `read_numbered_links` for repairs.
    """
    if pair not in pairs(archive):
        raise InputError(archive, f"no pair {pair!r}: it holds {', '.join(pairs(archive))}")
    files = {name.split("/")[-1]: name for name in members(archive) if name.split("/")[-2] == pair}
    text = [f"{archive}{SEPARATOR}{files[f'test.{language}']}" for language in pair.split("-")]
    sentences = [tuple(" ".join(tokens_of(side)) for side in pair) for pair in read_bitext(*text)]
    links = next(files[name] for name in LINK_FILES if name in files)
    lengths = [(len(tokens_of(first)), len(tokens_of(second))) for first, second in sentences]
    return sentences, read_numbered_links(f"{archive}{SEPARATOR}{links}", lengths, counts=counts)
