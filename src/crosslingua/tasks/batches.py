"""Which rows make a batch: rows of like length together, so that little of a batch is padding."""

from __future__ import annotations

import numpy as np

POOL = 50  # batches whose rows are sorted together: enough for like lengths, few enough to stay random
TOKENS = 8192  # pieces, padding included, of a batch that is only read


def training_batches(
    lengths: np.ndarray, size: int, rng: np.random.Generator, groups: np.ndarray | None = None
) -> list[np.ndarray]:
    """Return all rows in random batches of `size` (the last of a pool may be smaller), in random order.

    `groups` (rows,): rows with the same number stay in one batch; a batch has `size` rows in the mean.
    """
    if groups is not None:
        return _batches_of_groups(lengths, size, rng, groups)
    order = rng.permutation(len(lengths))
    batches: list[np.ndarray] = []
    for start in range(0, len(order), POOL * size):
        pool = order[start : start + POOL * size]
        pool = pool[np.argsort(lengths[pool], kind="stable")]
        batches += [pool[i : i + size] for i in range(0, len(pool), size)]
    return [batches[i] for i in rng.permutation(len(batches))]


def _batches_of_groups(
    lengths: np.ndarray, size: int, rng: np.random.Generator, groups: np.ndarray
) -> list[np.ndarray]:
    _, number, counts = np.unique(groups, return_inverse=True, return_counts=True)
    members = np.split(np.argsort(number, kind="stable"), np.cumsum(counts)[:-1])
    longest = np.array([lengths[rows].max() for rows in members])
    together = max(1, round(size / counts.mean()))
    return [np.concatenate([members[i] for i in some]) for some in training_batches(longest, together, rng)]


def reading_batches(lengths: np.ndarray) -> list[np.ndarray]:
    """Return all rows by length, in batches of at most TOKENS pieces after padding (or of one row)."""
    order = np.argsort(lengths, kind="stable")
    batches, start = [], 0
    for end in range(1, len(order) + 1):
        if end == len(order) or (end + 1 - start) * lengths[order[end]] > TOKENS:
            batches.append(order[start:end])
            start = end
    return batches
