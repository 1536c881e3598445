"""The compiled loops of `induction`: over rows of a similarity matrix, each read once from memory."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def largest_values(matrix, k):
    """Return each row's `k` largest values (n, k), largest first."""
    found = np.empty((matrix.shape[0], k), dtype=matrix.dtype)
    for i in range(matrix.shape[0]):
        row, top = matrix[i], found[i]
        top[:] = -np.inf
        for j in range(row.size):
            value = row[j]
            if value > top[k - 1]:
                place = k - 1
                while place and top[place - 1] < value:
                    top[place] = top[place - 1]
                    place -= 1
                top[place] = value
    return found


@njit(cache=True, nogil=True)
def draw(key, number):
    """Return the `number`th output, from 0, of SplitMix64 (Steele, Lea and Flood 2014) seeded by `key`, both uint64."""
    mixed = key + (number + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))


@njit(cache=True, nogil=True)
def best_columns(similarities, half):
    """Return each row's best column (n,): by similarity less `half` (m,) of the column, the lower among equals."""
    rows, columns = similarities.shape
    best = np.zeros(rows, dtype=np.int64)
    for i in range(rows):
        row, highest = similarities[i], np.float32(-np.inf)
        for j in range(columns):
            score = row[j] - half[j]
            if score > highest:
                highest, best[i] = score, j
    return best


@njit(cache=True, nogil=True)
def best_kept(similarities, half, first, key, limit):
    """Return each row's best column (n,) among those that are kept, or -1.

    A cell is kept if its own draw, by `key` and its place in the whole matrix, whose row `first` is the first here, is
    below `limit` (uint64). Only cells better than the best so far are drawn for: a few of a row.
    """
    rows, columns = similarities.shape
    kept = np.full(rows, -1, dtype=np.int64)
    for i in range(rows):
        row, highest = similarities[i], np.float32(-np.inf)
        before = np.uint64(first + i) * np.uint64(columns)
        for j in range(columns):
            score = row[j] - half[j]
            if score > highest and draw(key, before + np.uint64(j)) < limit:
                highest, kept[i] = score, j
    return kept
