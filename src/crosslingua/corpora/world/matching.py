"""Keep shortcuts out of pair tasks: every label gets the same distribution of surface features."""

from __future__ import annotations

import numpy as np

from crosslingua.corpora.world.realise import Told


def unshared_words(first: Told, second: Told) -> np.ndarray:
    """Return how many tokens of each sentence of `first` are not words of the same sentence of `second`."""
    codes = []
    width = int(max(first.form.max(), second.form.max())) + 1
    for told in (first, second):
        row, slot = told.tokens()
        codes.append(row * width + told.form[row, slot])
    missing = ~np.isin(codes[0], codes[1])
    return np.bincount((codes[0] // width)[missing], minlength=len(first.form))


def overlap_cells(first: Told, second: Told) -> np.ndarray:
    """Return a number for each pair: alike for pairs alike in word overlap and length."""
    new_words = np.minimum(unshared_words(second, first), 4)
    left_out = np.minimum(unshared_words(first, second), 4)
    longer = np.clip(first.lengths - second.lengths, -3, 3) + 3
    return (new_words * 5 + left_out) * 7 + longer


def surface_cells(first: Told, second: Told) -> np.ndarray:
    """Return a number for each pair: alike for pairs alike in word overlap, length, beginning and end."""
    begins, ends = _alike(first, second, from_end=False), _alike(first, second, from_end=True)
    return (overlap_cells(first, second) * 2 + begins) * 2 + ends


def _alike(first: Told, second: Told, *, from_end: bool) -> np.ndarray:
    """Return where the first two words, or the last two before the full stop, are the same."""
    words = ([_word_at(told, i, from_end) for i in range(2)] for told in (first, second))
    return np.logical_and.reduce([a == b for a, b in zip(*words, strict=True)])


def _word_at(told: Told, i: int, from_end: bool) -> np.ndarray:
    """Return the form of the word at distance `i` from the beginning or the end (clipped)."""
    row, slot = told.tokens()
    lengths = told.lengths
    position = np.clip(lengths - 2 - i if from_end else i, 0, lengths - 1)
    return told.form[row, slot][np.cumsum(lengths) - lengths + position]


def matched(labels: np.ndarray, cells: np.ndarray, n_labels: int) -> np.ndarray:
    """Return, sorted, rows in which every cell holds every label equally often.

    `labels`: [n] from 0 to n_labels - 1; `cells`: [n] any numbers. Of each cell and label the first rows are
    kept, as many as the rarest label has there.
    """
    _, cell = np.unique(cells, return_inverse=True)
    group = cell * n_labels + labels
    counts = np.bincount(group, minlength=(cell.max(initial=-1) + 1) * n_labels).reshape(-1, n_labels)
    order = np.argsort(group, kind="stable")
    rank = np.empty(len(group), dtype=np.int64)
    rank[order] = np.arange(len(group)) - np.concatenate([[0], np.cumsum(counts.reshape(-1))])[group[order]]
    return np.flatnonzero(rank < counts.min(axis=1)[cell])
