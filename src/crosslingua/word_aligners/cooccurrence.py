"""Parallel text as numbers, and which words meet in a sentence pair: what count-based aligners work on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

Pair = tuple[Sequence[str], Sequence[str]]


@dataclass(frozen=True)
class TokenSide:
    """One language: `words` (t,) int32 numbers of all tokens in a row, sentence p at `bounds[p]:bounds[p + 1]`."""

    words: np.ndarray
    bounds: np.ndarray
    vocabulary: int

    @property
    def lengths(self) -> np.ndarray:
        """Tokens of each sentence (pairs,)."""
        return np.diff(self.bounds)


@dataclass(frozen=True)
class Cooccurrence:
    """Sentence pairs with an entry for each pair of word types that meet in one.

    The cells of sentence pair p, source by target in rows, begin at `starts[p]` of `entries` (cells,) int32: the
    entry of each. `types` (2, entries) int32 are the source and target word of each entry. Four bytes a cell.
    """

    source: TokenSide
    target: TokenSide
    starts: np.ndarray
    entries: np.ndarray
    types: np.ndarray

    def __len__(self) -> int:
        return len(self.starts)


def count_cooccurrence(pairs: Iterable[Pair]) -> Cooccurrence:
    """Number the words of tokenised sentence pairs and index their meetings; time and memory grow with the cells.

    A pair with an empty side counts as two empty sentences.
    """
    from crosslingua.word_aligners.cooccurrence_kernels import index_cells  # compiled

    source, target = _sides(pairs)
    sizes = source.lengths * target.lengths
    starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    entries = np.empty(starts[-1], dtype=np.int32)
    types = index_cells(source.words, source.bounds, target.words, target.bounds, entries)
    return Cooccurrence(source, target, starts[:-1], entries, types)


def _sides(pairs: Iterable[Pair]) -> list[TokenSide]:
    numbers: tuple[dict[str, int], dict[str, int]] = ({}, {})
    tokens: tuple[list[np.ndarray], list[np.ndarray]] = ([], [])
    for pair in pairs:
        usable = pair if all(pair) else ((), ())
        for number, found, words in zip(numbers, tokens, usable, strict=True):
            row = [number.setdefault(word, len(number)) for word in words]
            found.append(np.array(row, dtype=np.int32))
    return [
        TokenSide(
            np.concatenate(found) if found else np.empty(0, np.int32),
            np.concatenate([[0], np.cumsum([len(row) for row in found])]).astype(np.int64),
            len(number),
        )
        for number, found in zip(numbers, tokens, strict=True)
    ]
