"""Normalise text: NFC, one kind of space, no control or invisible characters; optionally punctuation and case."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable

# What is neither seen nor meant: controls that are no white space, soft hyphen, zero-width space, word joiner,
# byte-order marks inside text, direction marks, invisible operators, interlinear marks.
INVISIBLE = (
    "\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e"
    "\u2060-\u2064\u2066-\u206f\ufeff\ufff9-\ufffb"
)
REMOVED = re.compile(f"[{INVISIBLE}]")
# Joiners spell words in Indic and Arabic scripts and tie emoji; behind anything below U+0590 they are noise.
STRAY_JOINERS = re.compile("(?:(?<=[\\x00-\u058f])|^)[\u200c\u200d]+")


def normalise_line(text: str) -> tuple[str, int]:
    """Return a line in normal form, and how many invisible characters were removed from it.

    Canonical composition (NFC); every run of Unicode white space (no-break space, U+2028, tabs…) becomes one
    space, none at the ends; INVISIBLE characters go.
    """
    removed = 0
    if not (text.isascii() and text.isprintable()):
        before = len(text)
        text = REMOVED.sub("", text)
        removed = before - len(text)
        text = " ".join(unicodedata.normalize("NFC", text).split())
        if "\u200c" in text or "\u200d" in text:
            before = len(text)
            text = STRAY_JOINERS.sub("", text)
            removed += before - len(text)
            text = unicodedata.normalize("NFC", text)  # what a joiner kept apart may compose now
    return " ".join(text.split()), removed


def lowercase(text: str, language: str) -> str:
    """Return text in lower case; in Turkish and Azeri `I` becomes dotless `ı`, and `İ` becomes `i`."""
    if language in ("tr", "az"):
        text = text.replace("I", "ı").replace("İ", "i")
    return text.lower()


def punctuation_normaliser(language: str) -> Callable[[str], str]:
    """Return Moses's punctuation normaliser: typographic quotes, dashes and spaces to plain ones."""
    from sacremoses import MosesPunctNormalizer

    return MosesPunctNormalizer(lang=language).normalize
