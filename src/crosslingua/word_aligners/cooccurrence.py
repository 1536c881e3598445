"""Parallel text as numbers, and which words meet in a sentence pair: what count-based aligners work on."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numba import njit

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
    """Number the words of tokenised sentence pairs and index their meetings; a pair with an empty side has none."""
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
    sides = []
    for number, found in zip(numbers, tokens, strict=True):
        bounds = np.concatenate([[0], np.cumsum([len(row) for row in found])]).astype(np.int64)
        words = np.concatenate(found) if found else np.empty(0, np.int32)
        sides.append(TokenSide(words, bounds, len(number)))
    return sides


# Of an open-addressing hash table over pairs of word numbers.
EMPTY = -1


@njit(cache=True)
def _place(keys, key):
    """Return where `key` stands, or would stand, in the table `keys` (a power of two; linear probing)."""
    mask = keys.size - 1
    # The multiplier is 2^64 over the golden ratio (Knuth, TAOCP 6.4): the high bits of the product are well mixed.
    place = np.int64((np.uint64(key) * np.uint64(11400714819323198485)) >> np.uint64(20)) & mask
    while keys[place] != EMPTY and keys[place] != key:
        place = (place + 1) & mask
    return place


@njit(cache=True)
def _grown(keys, values):
    """Return the table in twice the space."""
    larger, moved = np.full(keys.size * 2, EMPTY, dtype=np.int64), np.empty(keys.size * 2, dtype=np.int32)
    for old in range(keys.size):
        if keys[old] != EMPTY:
            place = _place(larger, keys[old])
            larger[place], moved[place] = keys[old], values[old]
    return larger, moved


@njit(cache=True, nogil=True)
def index_cells(source, source_bounds, target, target_bounds, entries):
    """Number the distinct word pairs in order, each cell in `entries`; return their words (2, n) int32."""
    keys, values = np.full(1 << 12, EMPTY, dtype=np.int64), np.empty(1 << 12, dtype=np.int32)
    types, size, cell = np.empty((2, 1 << 11), dtype=np.int32), 0, 0
    for pair in range(source_bounds.size - 1):
        for i in range(source_bounds[pair], source_bounds[pair + 1]):
            for j in range(target_bounds[pair], target_bounds[pair + 1]):
                key = (np.int64(source[i]) << 32) | np.int64(target[j])
                place = _place(keys, key)
                if keys[place] == EMPTY:
                    if 2 * size == keys.size:  # half full: probes stay short
                        keys, values = _grown(keys, values)
                        types = np.hstack((types, np.empty_like(types)))
                        place = _place(keys, key)
                    keys[place], values[place] = key, size
                    types[0, size], types[1, size] = source[i], target[j]
                    size += 1
                entries[cell] = values[place]
                cell += 1
    return types[:, :size].copy()
