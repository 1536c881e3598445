"""Row normalisation as recorded steps: fitted on one language's vectors, applied alike to any new ones,
undone.

A recipe names the steps in order, e.g. "unit,centre,unit" (Artetxe et al. 2018, section 3.1): `unit` scales
each vector to length 1, `centre` subtracts the mean of the vectors that the recipe was fitted on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from crosslingua.errors import ConfigError

NONE = "none"


def parse_recipe(recipe: str) -> tuple[str, ...]:
    """Return the steps that `recipe` names ("none": no step); raises ConfigError for an unknown one."""
    steps = () if recipe in ("", NONE) else tuple(recipe.split(","))
    for step in steps:
        if step not in ("unit", "centre"):
            raise ConfigError(
                f"normalisation {recipe!r}: steps are unit and centre, as in unit,centre,unit, or none"
            )
    return steps


@dataclass(frozen=True)
class Normalisation:
    """Steps in order: a vector (d,) float64 is a mean to subtract, None scales each row to length 1."""

    steps: tuple[np.ndarray | None, ...] = ()

    @classmethod
    def fit(cls, matrix: np.ndarray, recipe: Sequence[str]) -> tuple[Normalisation, np.ndarray]:
        """Fit the steps of `recipe` on `matrix` (n, d); return them and the normalised matrix, float32."""
        steps: list[np.ndarray | None] = []
        for step in recipe:
            steps.append(matrix.mean(axis=0, dtype=np.float64) if step == "centre" else None)
            matrix = cls(tuple(steps[-1:])).apply(matrix)
        return cls(tuple(steps)), np.asarray(matrix, dtype=np.float32)

    def apply(self, matrix: np.ndarray) -> np.ndarray:
        """Return the normalised rows (n, d) float32; raises ConfigError where a row has no direction to
        scale.
        """
        return self.forward(matrix)[0]

    def forward(self, matrix: np.ndarray) -> tuple[np.ndarray, list[np.ndarray]]:
        """Return the normalised rows, and for each `unit` step the lengths (n, 1) float64 it divided by."""
        lengths: list[np.ndarray] = []
        for mean in self.steps:
            if mean is None:
                lengths.append(_lengths(matrix))
            matrix = np.divide(matrix, lengths[-1]) if mean is None else np.subtract(matrix, mean)
            matrix = matrix.astype(np.float32)
        return np.asarray(matrix, dtype=np.float32), lengths

    def backward(self, matrix: np.ndarray, lengths: Sequence[np.ndarray]) -> np.ndarray:
        """Undo the steps, last first, scaling back by `lengths` as `forward` gave them: (n, d) float32."""
        remaining = list(lengths)
        for mean in reversed(self.steps):
            matrix = np.multiply(matrix, remaining.pop()) if mean is None else np.add(matrix, mean)
        return np.asarray(matrix, dtype=np.float32)

    def then(self, other: Normalisation) -> Normalisation:
        """Return the steps of this normalisation followed by those of `other`."""
        return Normalisation(self.steps + other.steps)


def fit_both(
    source: np.ndarray, target: np.ndarray, recipe: Sequence[str]
) -> tuple[tuple[Normalisation, np.ndarray], tuple[Normalisation, np.ndarray]]:
    """Return `Normalisation.fit` of either language."""
    return Normalisation.fit(source, recipe), Normalisation.fit(target, recipe)


def _lengths(matrix: np.ndarray) -> np.ndarray:
    lengths = np.sqrt(np.einsum("ij,ij->i", matrix, matrix, dtype=np.float64))[:, None]
    if not lengths.all():
        row = int(np.flatnonzero(lengths == 0)[0])
        raise ConfigError(
            f"the vector in row {row} is zero and cannot be scaled to length 1: leave its word out"
        )
    return lengths
