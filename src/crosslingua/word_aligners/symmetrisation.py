"""Two directional alignments into one: intersection, union, and grow-diag-final-and (Koehn et al. 2005)."""

from collections.abc import Iterator

import numpy as np
from numba import njit

from crosslingua.io.pharaoh import Link
from crosslingua.word_aligners.cooccurrence import Cooccurrence
from crosslingua.word_aligners.settings import SYMMETRISATIONS


def symmetrise(
    text: Cooccurrence, forward: np.ndarray, backward: np.ndarray, name: str = SYMMETRISATIONS[0]
) -> Iterator[frozenset[Link]]:
    """Yield the (source, target) links of each sentence pair.

    `forward` has the source position of each target token, `backward` the reverse, -1 for none.
    """
    bounds = text.source.bounds, text.target.bounds
    ends, links = symmetrise_all(*bounds, forward, backward, SYMMETRISATIONS.index(name))
    for start, end in zip(np.concatenate([[0], ends[:-1]]), ends, strict=True):
        yield frozenset(map(tuple, links[start:end].tolist()))


# Flags in the cells of a grid (source, target).
FORWARD, BACKWARD, BOTH, CHOSEN = 1, 2, 3, 4


@njit(cache=True)
def _choose(grid, rows, columns, i, j):
    grid[i, j] |= CHOSEN
    rows[i] = columns[j] = True


@njit(cache=True)
def _beside_chosen(grid, i, j):
    """Whether one of the cells around (i, j), which is not chosen itself, is."""
    n, m = grid.shape
    for y in range(max(0, i - 1), min(n, i + 2)):
        for x in range(max(0, j - 1), min(m, j + 2)):
            if grid[y, x] & CHOSEN:
                return True
    return False


@njit(cache=True)
def grow(grid, rows, columns):
    """Add links of the union beside chosen ones that cover an uncovered word, in order, until none is left."""
    grown = True
    while grown:
        grown = False
        for i in range(grid.shape[0]):
            for j in range(grid.shape[1]):
                candidate = 0 < grid[i, j] < CHOSEN and not (rows[i] and columns[j])
                if candidate and _beside_chosen(grid, i, j):
                    _choose(grid, rows, columns, i, j)
                    grown = True


@njit(cache=True)
def grow_diag_final_and(grid, final):
    """Choose links of a grid of FORWARD and BACKWARD flags in place; with `final`, also those between words that are
    both not covered.
    """
    n, m = grid.shape
    rows, columns = np.zeros(n, dtype=np.bool_), np.zeros(m, dtype=np.bool_)
    for i in range(n):
        for j in range(m):
            if grid[i, j] == BOTH:
                _choose(grid, rows, columns, i, j)
    grow(grid, rows, columns)
    if final:
        for direction in (FORWARD, BACKWARD):
            for i in range(n):
                for j in range(m):
                    if grid[i, j] & direction and not rows[i] and not columns[j]:
                        _choose(grid, rows, columns, i, j)


@njit(cache=True)
def select(grid, method):
    """Set CHOSEN on the links that the method, a number in SYMMETRISATIONS, selects."""
    if method < 2:
        grow_diag_final_and(grid, method == 0)
        return
    for i in range(grid.shape[0]):
        for j in range(grid.shape[1]):
            flags = grid[i, j]
            if (
                (method == 2 and flags == BOTH)
                or (method == 3 and flags)
                or (method == 4 and flags & FORWARD)
                or (method == 5 and flags & BACKWARD)
            ):
                grid[i, j] |= CHOSEN


@njit(cache=True, nogil=True)
def symmetrise_all(source_bounds, target_bounds, forward, backward, method):
    """Return (ends (pairs,), links (k, 2)): those of pair p are `links[ends[p - 1]:ends[p]]`, in order."""
    pairs = source_bounds.size - 1
    links, ends = np.empty((forward.size + backward.size, 2), dtype=np.int32), np.empty(pairs, dtype=np.int64)
    size = 0
    for pair in range(pairs):
        source, target = source_bounds[pair], target_bounds[pair]
        n, m = source_bounds[pair + 1] - source, target_bounds[pair + 1] - target
        grid = np.zeros((n, m), dtype=np.uint8)
        for j in range(m):
            if forward[target + j] >= 0:
                grid[forward[target + j], j] |= FORWARD
        for i in range(n):
            if backward[source + i] >= 0:
                grid[i, backward[source + i]] |= BACKWARD
        select(grid, method)
        for i in range(n):
            for j in range(m):
                if grid[i, j] & CHOSEN:
                    links[size] = i, j
                    size += 1
        ends[pair] = size
    return ends, links[:size].copy()
