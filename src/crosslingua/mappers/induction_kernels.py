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
def best_columns(similarities, half, draws, keep):
    """Return each row's best column (n,) among those whose draw is below `keep` (-1: none), and the best of all.

    Best is by similarity less `half` (m,) of the column, the lower among equals. Without draws (0, 0), all are kept.
    """
    rows, columns = similarities.shape
    kept, best = np.full(rows, -1, dtype=np.int64), np.zeros(rows, dtype=np.int64)
    for i in range(rows):
        row = similarities[i]
        highest = highest_kept = np.float32(-np.inf)
        for j in range(columns):
            score = row[j] - half[j]
            if score > highest:
                highest, best[i] = score, j
            if score > highest_kept and draws.size and draws[i, j] < keep:
                highest_kept, kept[i] = score, j
    return (kept if draws.size else best), best
