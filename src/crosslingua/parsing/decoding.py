"""The best projective tree of a sentence with one root: Eisner's (1996) dynamic program."""

from __future__ import annotations

import numba
import numpy as np

ONE_ROOT = 1e6  # more than any sum of scores: a second word that hangs on the root never pays


def projective_heads(scores: np.ndarray) -> np.ndarray:
    """Return the heads of the projective tree with the highest sum of scores, shape (words,); 0 is the root.

    `scores[head, word]` of shape (words + 1, words + 1); row 0 is the root's, column 0 is not looked at. Exactly one
    word hangs on the root. ValueError on another shape or a score that is not finite.
    """
    if scores.ndim != 2 or scores.shape[0] != scores.shape[1] or scores.shape[0] < 2:
        raise ValueError(f"scores of shape {scores.shape}: one row and column a word, and the root's")
    if not np.isfinite(scores[:, 1:]).all():
        raise ValueError("a score is not finite")
    shifted = scores.astype(np.float64, copy=True)
    shifted[0] -= ONE_ROOT
    return _eisner(shifted)


@numba.njit(cache=True)
def _eisner(scores):
    size = scores.shape[0]
    # spans [left, right]: complete and incomplete ones, whose head is on the right (0) or on the left (1)
    complete = np.zeros((size, size, 2))
    incomplete = np.zeros((size, size, 2))
    split_complete = np.zeros((size, size, 2), dtype=np.int64)
    split_incomplete = np.zeros((size, size), dtype=np.int64)
    for width in range(1, size):
        for left in range(size - width):
            right = left + width
            best, at = -np.inf, left
            for middle in range(left, right):
                value = complete[left, middle, 1] + complete[middle + 1, right, 0]
                if value > best:
                    best, at = value, middle
            split_incomplete[left, right] = at
            incomplete[left, right, 0] = best + scores[right, left] if left else -np.inf
            incomplete[left, right, 1] = best + scores[left, right]
            best, at = -np.inf, left
            for middle in range(left, right):
                value = complete[left, middle, 0] + incomplete[middle, right, 0]
                if value > best:
                    best, at = value, middle
            complete[left, right, 0], split_complete[left, right, 0] = best, at
            best, at = -np.inf, right
            for middle in range(left + 1, right + 1):
                value = incomplete[left, middle, 1] + complete[middle, right, 1]
                if value > best:
                    best, at = value, middle
            complete[left, right, 1], split_complete[left, right, 1] = best, at
    return _followed(split_complete, split_incomplete, size)


@numba.njit(cache=True)
def _followed(split_complete, split_incomplete, size):
    heads = np.zeros(size, dtype=np.int64)
    waiting = [(0, size - 1, 1, 1)]  # left, right, side of the head, whether complete
    while waiting:
        left, right, side, whole = waiting.pop()
        if left == right:
            continue
        if whole:
            middle = split_complete[left, right, side]
            if side:
                waiting.append((left, middle, 1, 0))
                waiting.append((middle, right, 1, 1))
            else:
                waiting.append((left, middle, 0, 1))
                waiting.append((middle, right, 0, 0))
        else:
            if side:
                heads[right] = left
            else:
                heads[left] = right
            middle = split_incomplete[left, right]
            waiting.append((left, middle, 1, 1))
            waiting.append((middle + 1, right, 0, 1))
    return heads[1:]
