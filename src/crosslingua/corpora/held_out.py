"""Sentences that training text must not hold: those of test and validation sets, however they are spelled."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from crosslingua.io.decode import decoded_lines

_NOT_LETTERS = re.compile(r"[\W_]+")


def sentence_key(text: str) -> str:
    """Return the letters and digits of a sentence, case-folded: copies differ in case, punctuation and spaces."""
    return _NOT_LETTERS.sub("", text.casefold())


def held_out(paths: Iterable[str | Path]) -> frozenset[str]:
    """Return the keys of all lines of some files that have a letter or digit. InputError if a file is missing."""
    keys = {sentence_key(line) for path in paths for line in decoded_lines(path)}
    return frozenset(keys - {""})
