"""Sums over pairs of vectors: rotations, centroids and spreads follow from them. Memory does not grow with the text."""

from __future__ import annotations

import numpy as np


class Moments:
    """Of k pairs of vectors (layers, d): how many, and sums (layers, d), squared norms and products (layers, d, d)."""

    def __init__(self, layers: int, dimension: int):
        self.pairs = 0
        self._sums = np.zeros((2, layers, dimension))
        self._squares = np.zeros((2, layers))
        self._products = np.zeros((layers, dimension, dimension))

    def add(self, source: np.ndarray, target: np.ndarray) -> None:
        """Count pairs: row i of `source` (n, layers, d) translates row i of `target`."""
        self.pairs += len(source)
        sides = [np.asarray(side, dtype=np.float64).transpose(1, 0, 2) for side in (source, target)]
        self._sums += [side.sum(axis=1) for side in sides]
        self._squares += [(side**2).sum(axis=(1, 2)) for side in sides]
        self._products += sides[0].transpose(0, 2, 1) @ sides[1]

    @property
    def means(self) -> tuple[np.ndarray, np.ndarray]:
        """The centroids of either side, (layers, d) (Eq. 4)."""
        source, target = self._sums / self.pairs
        return source, target

    @property
    def spread(self) -> np.ndarray:
        """Return the root mean square distance of a vector to the centroid of its side, (layers,)."""
        own = self._squares / self.pairs - (np.stack(self.means) ** 2).sum(axis=2)
        return np.sqrt(own.mean(axis=0))

    def products(self, centred: bool) -> np.ndarray:
        """Return X_sᵀ X_t of every layer, (layers, d, d); rows are pairs, less their centroids if `centred`."""
        if not centred:
            return self._products
        source, target = self.means
        return self._products - self.pairs * source[:, :, None] * target[:, None, :]
