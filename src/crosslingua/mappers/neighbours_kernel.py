"""The compiled loop of `neighbours`: each query's products with few keys of its own."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True, fastmath={"reassoc", "contract"})
def _product(a, b):
    """Return the inner product of two vectors (d,); summed in an order that the processor likes, always the same."""
    total = np.float32(0)
    for i in range(a.size):
        total += a[i] * b[i]
    return total


@njit(cache=True, nogil=True)
def nearest_of(queries, keys, columns, k):
    """Return the `k` of each query's `columns` (q, c) with the largest product, largest first, and the k-th product.

    Among equals the one that comes first.
    """
    found = np.zeros((len(queries), k), dtype=np.int64)
    least = np.empty(len(queries), dtype=np.float32)
    top = np.empty(k, dtype=np.float32)
    for i in range(len(queries)):
        top[:] = -np.inf
        for column in columns[i]:
            value = _product(queries[i], keys[column])
            if value > top[k - 1]:
                place = k - 1
                while place and top[place - 1] < value:
                    top[place], found[i, place] = top[place - 1], found[i, place - 1]
                    place -= 1
                top[place], found[i, place] = value, column
        least[i] = top[k - 1]
    return found, least
