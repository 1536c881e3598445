"""The compiled recursions of `crf`, sentence by sentence, in double precision (Rabiner 1989)."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def _ahead(scores, factors, shift, out):
    """Write log(exp(scores) @ factors) + shift into `out` (labels,), without overflow."""
    highest = scores.max()
    weights = np.exp(scores - highest)
    for j in range(len(out)):
        total = 0.0
        for i in range(len(weights)):
            total += weights[i] * factors[i, j]
        out[j] = np.log(total) + highest + shift


@njit(cache=True, nogil=True)
def forward_scores(emissions, lengths, start, end, factors, shift):
    """Return (rows, words, labels), the log sum over all paths to each label of a word, and (rows,), over all paths.

    `factors` (labels, labels) are exp(transitions - `shift`). What stands behind a sentence's end is undefined.
    """
    rows, _, labels = emissions.shape
    forward = np.empty(emissions.shape)
    total = np.empty(rows)
    reached = np.empty(labels)
    for row in range(rows):
        forward[row, 0] = start + emissions[row, 0]
        for place in range(1, lengths[row]):
            _ahead(forward[row, place - 1], factors, shift, reached)
            forward[row, place] = reached + emissions[row, place]
        last = forward[row, lengths[row] - 1] + end
        highest = last.max()
        total[row] = np.log(np.exp(last - highest).sum()) + highest
    return forward, total


@njit(cache=True, nogil=True)
def marginals(emissions, lengths, end, factors, shift, forward, total, weights):
    """Return the probabilities of labels (rows, words, labels), 0 behind the end, and of pairs, divided by `factors`.

    Each sentence's count times its weight (rows,); those of pairs are summed over all places.
    """
    rows, _, labels = emissions.shape
    single = np.zeros(emissions.shape)
    pairs = np.zeros((labels, labels))
    turned = factors.T.copy()
    behind, ahead = np.empty(labels), np.empty(labels)
    for row in range(rows):
        behind[:] = end
        for place in range(lengths[row] - 1, -1, -1):
            single[row, place] = weights[row] * np.exp(forward[row, place] + behind - total[row])
            if place:
                ahead[:] = emissions[row, place] + behind
                before = forward[row, place - 1]
                first, second = before.max(), ahead.max()
                left = np.exp(before - first) * (weights[row] * np.exp(first + second + shift - total[row]))
                right = np.exp(ahead - second)
                for i in range(labels):
                    for j in range(labels):
                        pairs[i, j] += left[i] * right[j]
                _ahead(ahead, turned, shift, behind)
    return single, pairs


@njit(cache=True, nogil=True)
def add_path(paths, lengths, weights, single, start, end, pairs):
    """Add the path of each sentence (rows, words), its weight (rows,) times, to counts of labels and of pairs.

    `single` (rows, words, labels), `start`, `end` (labels,), `pairs` (labels, labels).
    """
    for row in range(len(lengths)):
        path, weight = paths[row], weights[row]
        start[path[0]] += weight
        end[path[lengths[row] - 1]] += weight
        for place in range(lengths[row]):
            single[row, place, path[place]] += weight
            if place:
                pairs[path[place - 1], path[place]] += weight
