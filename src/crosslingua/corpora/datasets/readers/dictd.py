"""FreeDict's dictionaries for dictd in Debian packages: entries in a gzip, their offsets in an index in base 64.

An entry begins with its headword, a pronunciation in slashes and a part of speech in angle brackets. Lines of
translations follow, divided by commas or semicolons, with numbers before them and notes in brackets. Hungarian is in an
encoding without `ő` and `ű`: it has `ô` and `û`, which no Hungarian word has.
"""

import re
from collections import Counter

from crosslingua.errors import InputError
from crosslingua.io.bitext import Pair, distinct
from crosslingua.io.decode import SEPARATOR, members, open_source

ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
DIGITS = {letter: number for number, letter in enumerate(ALPHABET)}
OWN = "00database"  # begins headwords that describe the dictionary
NOTES = re.compile(r"\([^()]*\)|\[[^\[\]]*\]|<[^<>]*>|/[^/]*/|^\s*(?:\d+[.)]|[IVX]+[.]|[a-z][.)](?=\s))")
WORD = re.compile(r"[^\W\d_](?:[\w'’-]*[^\W_])?")
HUNGARIAN = "eng-hun"  # in the name of a package
REPAIRED = str.maketrans("ôûÔÛ", "őűŐŰ")


def read(path: str, counts: Counter[str] | None = None) -> list[Pair]:
    """Return the pairs of single words of a package, as it spells them. `counts["no_single_word"]` are the other pairs.

    `counts["repaired"]` are pairs with a letter of another encoding. Raises InputError where the index is damaged.
    """
    entries = f"{path}{SEPARATOR}{_member(path, '.dict.dz')}"
    with open_source(entries) as stream:
        text = stream.read()
    pairs = []
    with open_source(f"{path}{SEPARATOR}{_member(path, '.index')}") as index:
        for number, line in enumerate(index, 1):
            headword, *place = line.decode("utf-8").rstrip("\n").split("\t")
            try:
                start, size = map(_number, place)
            except (ValueError, KeyError):
                raise InputError(path, f"no line of an index of dictd: {line!r}", line=number) from None
            if not headword.startswith(OWN):
                entry = text[start : start + size].decode("utf-8", "replace")
                pairs += _pairs(entry, counts)
    if HUNGARIAN in path.rpartition("/")[2]:
        repaired = [(word, translation.translate(REPAIRED)) for word, translation in pairs]
        if counts is not None:
            counts["repaired"] += sum(one != other for one, other in zip(pairs, repaired, strict=True))
        pairs = repaired
    return distinct(pairs, path, counts)


def _member(path: str, suffix: str) -> str:
    held = members(path)
    names = [name for name in held if name.endswith(suffix)]
    if len(names) != 1:
        raise InputError(path, f"{len(names)} members end in {suffix}; it holds {', '.join(held)}")
    return names[0]


def _number(text: str) -> int:
    value = 0
    for letter in text:
        value = value * len(ALPHABET) + DIGITS[letter]
    return value


def _pairs(entry: str, counts: Counter[str] | None) -> list[Pair]:
    """Return the pairs of an entry whose headword and translation are one word each."""
    first, *others = entry.splitlines()
    headwords = [part.strip() for part in _plain(first).split(",")]
    parts = [part.strip() for line in others for part in re.split("[,;]", _plain(line))]
    every = [(headword, part) for part in parts if part for headword in headwords]
    words = [pair for pair in every if all(map(WORD.fullmatch, pair))]
    if counts is not None:
        counts["no_single_word"] += len(every) - len(words)
    return words


def _plain(line: str) -> str:
    """Return a line without its number, notes, pronunciation and part of speech, which may be nested."""
    while (shorter := NOTES.sub("", line)) != line:
        line = shorter
    return " ".join(line.split())
