"""Masking as RoBERTa does it (Liu et al. 2019): anew for every batch, 15 % of the tokens of each row."""

from __future__ import annotations

import numpy as np

from crosslingua.encoders.batches import Batch
from crosslingua.encoders.specials import Specials

MASKED, RANDOM = 0.8, 0.1  # of the tokens to predict: replaced by the mask, by a random token; the rest stays


class Masker:
    """Chooses the tokens to predict and hides them.

    A row of n tokens, special ones aside, has p·n of them chosen, rounded up or down by chance so that the mean is
    p·n (fairseq's rule for RoBERTa).
    """

    def __init__(self, probability: float, specials: Specials, vocabulary: int):
        self._probability, self._mask = probability, specials.mask
        self._fixed = np.zeros(vocabulary, dtype=bool)
        self._fixed[[specials.start, specials.pad, specials.end]] = True
        self._ordinary = np.setdiff1d(np.arange(vocabulary), specials)

    def __call__(self, batch: Batch, rng: np.random.Generator) -> None:
        """Fill in what the batch lacks: `ids`, `columns`, `filled`, `labels`, `total`."""
        batch.columns, batch.filled = self._choose(~self._fixed[batch.clean], rng)
        batch.labels = np.take_along_axis(batch.clean, batch.columns, axis=1)
        batch.total = int(batch.filled.sum())
        rows = np.nonzero(batch.filled)[0]
        batch.ids = batch.clean.copy()
        batch.ids[rows, batch.columns[batch.filled]] = self._hidden(batch.labels[batch.filled], rng)

    def _choose(self, free: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        numbers = (self._probability * free.sum(1) + rng.random(len(free))).astype(int)
        most = max(1, int(numbers.max()))
        scores = np.where(free, rng.random(free.shape, dtype=np.float32), np.float32(2))
        nearest = np.argpartition(scores, most - 1, axis=1)[:, :most]
        order = np.argsort(np.take_along_axis(scores, nearest, axis=1), axis=1)
        filled = np.arange(most) < numbers[:, None]
        return np.where(filled, np.take_along_axis(nearest, order, axis=1), 0), filled

    def _hidden(self, tokens: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        chance = rng.random(len(tokens))
        others = self._ordinary[rng.integers(len(self._ordinary), size=len(tokens))]
        return np.where(chance < MASKED, self._mask, np.where(chance < MASKED + RANDOM, others, tokens))
