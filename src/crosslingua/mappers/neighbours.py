"""Nearest neighbours by inner product, for vectors whose length counts.

`lexicon_induction.retrieval` ranks by cosine and serves all other needs; RCSLS maps with matrices that are
not orthogonal, and its loss is made of inner products.
"""

import numpy as np
from numba import njit

from crosslingua.mappers.mapper import over_blocks

# The compiled loop of `neighbours`: each query's products with few keys of its own.


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


KEPT = 12  # keys kept of a query, for each that is asked for
ROUNDING = 1e-5  # of a product, for each unit of length of both
SMALLEST = np.finfo(np.float64).tiny
CELLS = 8 * 2**20  # inner products held at a time by one worker (32 MiB)
GROUP = 16  # columns that share a maximum when a threshold is sought


class MovingNeighbours:
    """The `k` keys with the largest product with each query, found again as the queries move.

    `keys` (m, d) float32. Of a query q more keys are kept than asked for; no other had a product above the least of
    theirs, b. When it has become a q + v, no other key y has one above a b + <v, mean> + |v| |y - mean|. While the kept
    have `k` above that, these are the nearest of all; only queries of which it does not hold are searched for again.
    """

    def __init__(self, keys: np.ndarray, k: int):
        self.keys, self.k = keys, k
        self._kept = min(len(keys), KEPT * k)
        self._mean = keys.mean(axis=0, dtype=np.float64)
        self._reach = float(np.linalg.norm(keys - self._mean, axis=1).max())
        self._at: np.ndarray | None = None  # where each query was when it was searched for among all keys

    def nearest(self, queries: np.ndarray) -> np.ndarray:
        """Return the keys (q, k) of `queries` (q, d), float32: row i is the same query each time it is asked."""
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

    def _bound(self, queries: np.ndarray) -> np.ndarray:
        """Return what the product of a query (q,) with a key that is not kept is not above."""
        if self._kept == len(self.keys):
            return np.full(len(queries), -np.inf)
        now, then = queries.astype(np.float64), self._at.astype(np.float64)
        scale = np.maximum(0, (now * then).sum(axis=1) / np.maximum((then**2).sum(axis=1), SMALLEST))
        moved = now - scale[:, None] * then
        far = np.linalg.norm(moved, axis=1) * self._reach
        slack = ROUNDING * np.linalg.norm(now, axis=1) * (self._reach + np.linalg.norm(self._mean))
        return scale * self._least + moved @ self._mean + far + slack

    def _search(self, queries: np.ndarray, rows: np.ndarray) -> None:
        """Keep, of these rows, the nearest of all keys, in the order of keys."""

        def fill(block: slice) -> None:
            some = rows[block]
            products = queries[some] @ self.keys.T
            columns = largest(products, self._kept)
            self._least[some] = np.take_along_axis(products, columns[:, -1:], axis=1)[:, 0]
            self._columns[some] = np.sort(columns, axis=1)

        over_blocks(fill, len(rows), max(1, CELLS // len(self.keys)))
        self._at[rows] = queries[rows]

    def _among_kept(
        self, queries: np.ndarray, rows: np.ndarray | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the nearest (q, k) of the kept, largest first, and the product of the last."""
        some = np.arange(len(queries)) if rows is None else rows
        found = np.empty((len(some), self.k), dtype=np.int64)
        least = np.empty(len(some), dtype=np.float32)

        def fill(block: slice) -> None:
            found[block], least[block] = nearest_of(
                queries[some[block]], self.keys, self._columns[some[block]], self.k
            )

        over_blocks(fill, len(some), 1024)
        return found, least


def largest(products: np.ndarray, k: int) -> np.ndarray:
    """Return the columns (q, k) of each row's `k` largest values, largest first, the lower column among
    equals.

    The k-th largest maximum of groups of columns is a lower bound on the k-th largest value, and looking
    for it is ten times cheaper than partitioning whole rows; few values pass it.
    """
    groups = products.shape[1] // GROUP
    maxima = products
    if groups >= 4 * k:
        grouped = products[:, : groups * GROUP].reshape(len(products), GROUP, groups).max(axis=1)
        maxima = np.concatenate([grouped, products[:, groups * GROUP :]], axis=1)
    bound = np.partition(maxima, maxima.shape[1] - k, axis=1)[:, maxima.shape[1] - k]
    rows, columns = np.nonzero(products >= bound[:, None])
    order = np.lexsort((columns, -products[rows, columns], rows))
    starts = np.searchsorted(rows, np.arange(len(products)))
    return columns[order[starts[:, None] + np.arange(k)]]
