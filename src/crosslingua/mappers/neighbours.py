"""Nearest neighbours by inner product, for RCSLS; `lexicon_induction.retrieval` ranks by cosine."""

import numpy as np
from numba import njit

from crosslingua.lexicon_induction import exact
from crosslingua.mappers.mapper import Array, over_blocks


@njit(cache=True, nogil=True, fastmath={"reassoc", "contract"})
def _product(a, b):
    """Return the inner product of two vectors (d,), always summed in the same order."""
    total = np.float32(0)
    for i in range(a.size):
        total += a[i] * b[i]
    return total


@njit(cache=True, nogil=True)
def nearest_of(queries, keys, columns, k):
    """Return the `k` of each query's `columns` (q, c) with the largest product, the first of equals, and the k-th."""
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


KEPT = 12  # keys kept of a query, for each that is asked for
ROUNDING = 1e-5  # of a product, for each unit of length of both
SMALLEST = np.finfo(np.float64).tiny
CELLS = 8 * 2**20  # inner products held at a time by one worker (32 MiB)


class MovingNeighbours:
    """The `k` keys with the largest product with each query, updated as the queries move.

    `keys` (m, d) are float32. More than k keys are kept for a query q; no other has a product above the least of
    theirs, b. When q moves to a q + v, the product of another key y is at most a b + <v, mean> + |v| |y - mean|. Only
    queries with fewer than k kept keys above this bound are searched again.
    """

    def __init__(self, keys: Array, k: int):
        self.keys, self.k = keys, k
        self._kept = min(len(keys), KEPT * k)
        self._mean = keys.mean(axis=0, dtype=np.float64)
        self._reach = float(np.linalg.norm(keys - self._mean, axis=1).max())
        self._at: Array | None = None  # where each query was when it was searched for among all keys

    def nearest(self, queries: Array) -> Array:
        """Return the nearest keys (q, k) of `queries` (q, d), float32; row i is the same query in each call."""
        if self._at is None:
            shape = (len(queries), self._kept)
            self._at, self._columns = np.empty_like(queries), np.empty(shape, dtype=np.int64)
            self._least = np.empty(len(queries), dtype=np.float32)
            self._search(queries, np.arange(len(queries)))
            return self._among_kept(queries)[0]
        found, least = self._among_kept(queries)
        lost = np.flatnonzero(least <= self._bound(queries))
        self._search(queries, lost)
        found[lost] = self._among_kept(queries, lost)[0]
        return found

    def _bound(self, queries: Array) -> Array:
        """Return an upper bound (q,) on the product of each query with the keys that are not kept."""
        if self._kept == len(self.keys):
            return np.full(len(queries), -np.inf)
        now, then = queries.astype(np.float64), self._at.astype(np.float64)
        scale = np.maximum(0, (now * then).sum(axis=1) / np.maximum((then**2).sum(axis=1), SMALLEST))
        moved = now - scale[:, None] * then
        far = np.linalg.norm(moved, axis=1) * self._reach
        slack = ROUNDING * np.linalg.norm(now, axis=1) * (self._reach + np.linalg.norm(self._mean))
        return scale * self._least + moved @ self._mean + far + slack

    def _search(self, queries: Array, rows: Array) -> None:
        """Search all keys for the nearest of these rows, and keep them in the order of keys."""

        def fill(block: slice) -> None:
            some = rows[block]
            products = queries[some] @ self.keys.T
            columns = largest(products, self._kept)
            self._least[some] = np.take_along_axis(products, columns[:, -1:], axis=1)[:, 0]
            self._columns[some] = np.sort(columns, axis=1)

        over_blocks(fill, len(rows), max(1, CELLS // len(self.keys)))
        self._at[rows] = queries[rows]

    def _among_kept(self, queries: Array, rows: Array | None = None) -> tuple[Array, Array]:
        """Return the nearest (q, k) of the kept keys, largest first, and the last one's product."""
        some = np.arange(len(queries)) if rows is None else rows
        found, least = np.empty((len(some), self.k), dtype=np.int64), np.empty(len(some), dtype=np.float32)

        def fill(block: slice) -> None:
            at, rows = queries[some[block]], self._columns[some[block]]
            found[block], least[block] = nearest_of(at, self.keys, rows, self.k)

        over_blocks(fill, len(some), 1024)
        return found, least


def largest(products: Array, k: int) -> Array:
    """Return the columns (q, k) of each row's `k` largest values, largest first, the lower column among equals."""
    rows, columns = np.nonzero(products >= exact.threshold(products, k)[:, None])
    return columns[exact.best(rows, columns, products[rows, columns], k)].reshape(-1, k)
