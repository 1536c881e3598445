"""The words of two languages as rows of one table of vectors; a shared word is one row, and one parameter."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from crosslingua.errors import ConfigError

PAD, UNKNOWN, BLANK, BEGIN = 0, 1, 2, 3  # BEGIN + language: what its sentences begin with
FIRST = 5
SIDES = (0, 1)


@dataclass(frozen=True)
class Vocabulary:
    """Rows: padding, unknown, blank, two begins; words of the first language alone; end; shared words; the second's.

    What a language can say is then one run of rows: its own words, the end mark and the shared words.
    """

    languages: tuple[str, str]
    own: tuple[tuple[str, ...], tuple[str, ...]]
    shared: tuple[str, ...]

    @property
    def end(self) -> int:
        """The row of the end mark."""
        return FIRST + len(self.own[0])

    @property
    def size(self) -> int:
        """Rows of the table."""
        return self.end + 1 + len(self.shared) + len(self.own[1])

    def outputs(self, side: int) -> slice:
        """The rows that language `side` (0 or 1) can say."""
        return slice(FIRST, self.end + 1 + len(self.shared)) if side == 0 else slice(self.end, self.size)

    @cached_property
    def rows(self) -> tuple[dict[str, int], dict[str, int]]:
        """Word -> row, for each language."""
        shared = {word: self.end + 1 + i for i, word in enumerate(self.shared)}
        first = {word: FIRST + i for i, word in enumerate(self.own[0])}
        start = self.end + 1 + len(self.shared)
        return shared | first, shared | {word: start + i for i, word in enumerate(self.own[1])}

    @cached_property
    def words(self) -> list[str]:
        """Row -> word; marks are empty, and what is unknown reads <unk>."""
        marks = ["", "<unk>", "<blank>", "", ""]
        return [*marks, *self.own[0], "", *self.shared, *self.own[1]]

    def encode(self, side: int, words: Iterable[str]) -> np.ndarray:
        """Return the rows (n,) int64 of a sentence's words; unknown ones are UNKNOWN."""
        rows = self.rows[side]
        return np.array([rows.get(word, UNKNOWN) for word in words], dtype=np.int64)

    def decode(self, ids: Iterable[int]) -> list[str]:
        """Return the words of rows."""
        return [self.words[row] for row in ids]

    def language(self, name: str) -> int:
        """Return 0 or 1. Raises ConfigError for a language that the system does not know."""
        if name not in self.languages:
            raise ConfigError(f"language {name!r}: this system translates {' and '.join(self.languages)}")
        return self.languages.index(name)


def build_vocabulary(
    languages: tuple[str, str], words: Sequence[Sequence[str]], shared: Collection[str]
) -> Vocabulary:
    """Return the vocabulary of the `words` of each language, of which those in `shared` that both have are one row."""
    both = set(words[0]) & set(words[1]) & set(shared)
    own = tuple(tuple(w for w in words[side] if w not in both) for side in SIDES)
    return Vocabulary(languages, own, tuple(w for w in words[0] if w in both))


def frequent_words(sentences: Iterable[Sequence[str]], min_count: int, most: int) -> list[str]:
    """Return the words that occur `min_count` times, the `most` most frequent, most frequent first."""
    counts = Counter(word for sentence in sentences for word in sentence)
    found = sorted((w for w, n in counts.items() if n >= min_count), key=lambda word: (-counts[word], word))
    return found[:most]
