"""The sentences of each training step: of like length in both languages, in an order that the seed decides."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from crosslingua.translation.vocabulary import PAD

POOL = 50  # batches whose sentences are sorted by length together


class Sampler:
    """Which sentences of a text each step reads: every pass a new permutation, cut into batches of like length."""

    def __init__(self, lengths: Sequence[int], batch_size: int, seed: Sequence[int]):
        self._lengths, self._size, self._seed = np.asarray(lengths), batch_size, list(seed)
        self._pool: tuple[int, np.ndarray] = (-1, np.zeros(0, np.int64))

    def batch(self, step: int, order: int) -> np.ndarray:
        """Return the sentences (batch_size,) of step 0, 1, ...

        Within a pool the shortest come in its batch 0; `order` says which batch of the pool's is the step's.
        """
        number = step // POOL
        if self._pool[0] != number:
            self._pool = (number, self._sorted_pool(number))
        return self._pool[1][order * self._size : (order + 1) * self._size]

    def _sorted_pool(self, number: int) -> np.ndarray:
        n, size = len(self._lengths), POOL * self._size
        first = number * size
        passes = range(first // n, (first + size - 1) // n + 1)
        orders = [np.random.default_rng([*self._seed, p]).permutation(n) for p in passes]
        drawn = np.concatenate(orders)[first - passes[0] * n :][:size]
        return drawn[np.argsort(self._lengths[drawn], kind="stable")]


def batch_order(step: int, seed: int) -> int:
    """Return which batch of its pool a step reads; the same for all texts, so that lengths fit."""
    return int(np.random.default_rng([seed, 7, step // POOL]).permutation(POOL)[step % POOL])


def padded(sentences: Sequence[np.ndarray], end: int) -> Tensor:
    """Return sentences (n, longest + 1) int64, each with the end mark, padded on the right."""
    ids = np.full((len(sentences), max(map(len, sentences)) + 1), PAD, np.int64)
    for row, words in zip(ids, sentences, strict=True):
        row[: len(words)] = words
        row[len(words)] = end
    return torch.from_numpy(ids)
