"""Fonts for words of any script: those installed that have the characters, and which words none can draw."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from contextlib import suppress
from functools import cache

DEFAULT = "DejaVu Sans"
PLACEHOLDERS = "Last Resort"  # matplotlib's own font, which has a box for every character


def families_for(words: Iterable[str]) -> list[str]:
    """Return font families to try in order, so that every character which an installed font has is drawn."""
    families = [DEFAULT]
    left = _characters("".join(words)) - _covered(DEFAULT)
    for family in _installed() if left else ():
        if found := left & _covered(family):
            families.append(family)
            left -= found
    return families


def undrawable(word: str, families: Iterable[str]) -> set[str]:
    """Return the characters of `word` that none of `families` has."""
    return _characters(word).difference(*map(_covered, families))


def _characters(text: str) -> set[str]:
    """All but spaces and invisible formatting characters."""
    return {c for c in text if not c.isspace() and unicodedata.category(c) != "Cf"}


def _installed() -> list[str]:
    return sorted({font.name for font in _upright() if not font.name.startswith(PLACEHOLDERS)})


def _upright():
    """The installed fonts that are neither slanted nor bold."""
    from matplotlib.font_manager import fontManager

    return [font for font in fontManager.ttflist if font.style == "normal" and font.weight in (400, "normal")]


@cache
def _covered(family: str) -> frozenset[str]:
    from matplotlib.font_manager import get_font

    found: set[str] = set()
    for font in _upright():
        if font.name == family:
            with suppress(RuntimeError):  # FreeType cannot read it
                found.update(map(chr, get_font(font.fname).get_charmap()))
    return frozenset(found)
