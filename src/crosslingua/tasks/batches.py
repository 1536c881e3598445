"""Which rows make a batch: rows of like length together, so that little of a batch is padding."""

from __future__ import annotations

import numpy as np

POOL = 50  # batches whose rows are sorted together: enough for like lengths, few enough to stay random
TOKENS = 8192  # pieces, padding included, of a batch that is only read


def training_batches(lengths: np.ndarray, size: int, rng: np.random.Generator) -> list[np.ndarray]:
    """Return all rows in random batches of `size` (the last of a pool may be smaller), in random order."""
    order = rng.permutation(len(lengths))
    batches: list[np.ndarray] = []
    for start in range(0, len(order), POOL * size):
        pool = order[start : start + POOL * size]
        pool = pool[np.argsort(lengths[pool], kind="stable")]
        batches += [pool[i : i + size] for i in range(0, len(pool), size)]
    return [batches[i] for i in rng.permutation(len(batches))]


def reading_batches(lengths: np.ndarray) -> list[np.ndarray]:
    """Return all rows by length, in batches of at most TOKENS pieces after padding (or of one row)."""
    order = np.argsort(lengths, kind="stable")
    batches, start = [], 0
    for end in range(1, len(order) + 1):
        if end == len(order) or (end + 1 - start) * lengths[order[end]] > TOKENS:
            batches.append(order[start:end])
            start = end
    return batches
