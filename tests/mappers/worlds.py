"""Synthetic vector spaces with a known map between them."""

from dataclasses import dataclass

import numpy as np
from scipy.stats import ortho_group

from crosslingua.mappers.mapper import Mapping


@dataclass(frozen=True)
class World:
    """`target[permutation[i]]` is `source[i] @ rotation` plus noise: they translate each other."""

    source: np.ndarray
    target: np.ndarray
    rotation: np.ndarray
    permutation: np.ndarray

    def pairs(self, first: int, last: int) -> np.ndarray:
        rows = np.arange(first, last)
        return np.stack([rows, self.permutation[rows]], axis=1)

    def mapped(self, mapping: Mapping) -> tuple[np.ndarray, np.ndarray]:
        """Mapped source vectors, and beside each that of its translation."""
        return mapping.map_source(self.source), mapping.map_target(self.target)[self.permutation]


def rotated(words: int = 400, dimension: int = 20, seed: int = 0, noise: float = 0.0) -> World:
    """A space like that of words (uneven spectrum, clusters, a common offset, skewed axes), and it rotated.

    Ranks are only shuffled within neighbourhoods, as frequencies of translations are.
    """
    rng = np.random.default_rng(seed)
    centres = rng.standard_normal((max(2, words // 12), dimension)) * 1.5
    vectors = centres[rng.integers(len(centres), size=words)] + rng.standard_normal((words, dimension))
    vectors += 0.6 * rng.exponential(size=(words, dimension))  # no symmetry under reflections of the axes
    vectors *= np.linspace(1.0, 0.3, dimension)
    vectors += 0.5 * rng.standard_normal(dimension)
    rotation = ortho_group.rvs(dimension, random_state=rng)
    rank = np.argsort(np.arange(words) + rng.uniform(-20, 20, size=words), kind="stable")
    permutation = np.empty(words, dtype=np.int64)
    permutation[rank] = np.arange(words)
    target = np.empty_like(vectors)
    target[permutation] = vectors @ rotation
    target += noise * rng.standard_normal(target.shape)
    return World(vectors.astype(np.float32), target.astype(np.float32), rotation, permutation)


def unit(matrix: np.ndarray) -> np.ndarray:
    """Rows of length 1."""
    return (matrix / np.linalg.norm(matrix, axis=1, keepdims=True)).astype(np.float32)


def cosines(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Cosine of each row pair, computed plainly."""
    left, right = left.astype(np.float64), right.astype(np.float64)
    return (left * right).sum(1) / np.linalg.norm(left, axis=1) / np.linalg.norm(right, axis=1)


def accuracy(mapped: np.ndarray, translations: np.ndarray) -> float:
    """Share of words whose nearest target by cosine is their translation, which has their row."""
    return float(np.mean(np.argmax(unit(mapped) @ unit(translations).T, axis=1) == np.arange(len(mapped))))
