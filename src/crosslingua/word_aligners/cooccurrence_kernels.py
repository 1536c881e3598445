"""The compiled loop of `cooccurrence`: an open-addressing hash table over pairs of word numbers."""

from __future__ import annotations

import numpy as np
from numba import njit

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
    """Number the distinct (source, target) word pairs in order of appearance.

    Writes the number of each cell to `entries`; returns the words (2, n) int32 of each number.
    """
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
