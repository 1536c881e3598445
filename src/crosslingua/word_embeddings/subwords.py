"""Character n-grams of words, hashed into buckets as in fastText (Bojanowski et al. 2017, section 3.2)."""

from collections.abc import Sequence

import numpy as np
from numba import njit


def subwords_of(
    words: Sequence[str], smallest: int, largest: int, buckets: int
) -> tuple[np.ndarray, np.ndarray, int]:
    """Return (starts (n + 1,), rows, size): word w has the rows `rows[starts[w]:starts[w + 1]]` of a matrix of `size`.

    The first row of each word is its own number. The others are the n-grams of `smallest` to `largest` characters of
    the word between `<` and `>`; only buckets in use have rows. With `largest` 0, and for `</s>`, there are none.
    """
    whole = largest == 0
    encoded = [b"" if whole or word == "</s>" else f"<{word}>".encode() for word in words]
    ends = np.cumsum([0, *map(len, encoded)])
    letters = np.frombuffer(b"".join(encoded), dtype=np.uint8)
    starts, found = _hashes(letters, ends, smallest, largest, np.uint32(max(buckets, 1)))
    used, places = np.unique(found[found >= 0], return_inverse=True)
    rows = np.empty(len(found), dtype=np.int64)
    rows[found < 0] = np.arange(len(words))
    rows[found >= 0] = places + len(words)
    return starts, rows, len(words) + len(used)


@njit(cache=True)
def _hashes(letters, ends, smallest, largest, buckets):
    """Return starts and the buckets of all words' n-grams, with -1 before those of each word."""
    starts = np.zeros(ends.size, dtype=np.int64)
    found = np.empty(ends.size - 1 + letters.size * max(largest, 1), dtype=np.int64)
    size = 0
    for word in range(ends.size - 1):
        found[size] = -1
        size += 1
        begin, end = ends[word], ends[word + 1]
        for first in range(begin, end):
            if letters[first] & 0xC0 == 0x80:  # within a character of UTF-8
                continue
            value, last = np.uint32(2166136261), first
            for length in range(1, largest + 1):
                if last >= end:
                    break
                while True:  # FNV-1a, over signed bytes as in fastText
                    byte = np.uint32(letters[last])
                    if byte > 127:
                        byte |= np.uint32(0xFFFFFF00)
                    value = np.uint32((value ^ byte) * np.uint32(16777619))
                    last += 1
                    if last >= end or letters[last] & 0xC0 != 0x80:
                        break
                if length >= smallest and not (length == 1 and (first == begin or last == end)):
                    found[size] = value % buckets
                    size += 1
        starts[word + 1] = size
    return starts, found[:size]
