"""What a mapper returns: maps of both languages into a common space, and the way into the target's own."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from crosslingua.errors import ConfigError
from crosslingua.mappers.normalisation import Normalisation
from crosslingua.mappers.threads import over_blocks

BLOCK = 8192  # rows multiplied at a time


@dataclass(frozen=True)
class MappedSide:
    """One language's way into the common space: normalise the rows, then multiply by `matrix` (d, d) from
    the right.

    `matrix` None is the identity.
    """

    normalisation: Normalisation = field(default_factory=Normalisation)
    matrix: np.ndarray | None = None

    def apply(self, vectors: np.ndarray) -> np.ndarray:
        """Return `vectors` (n, d) in the common space, (n, d) float32."""
        return product(self.normalisation.apply(vectors), self.matrix)


@dataclass(frozen=True)
class Mapping:
    """Maps of both languages into the common space; `details` is what the fit reports (JSON values)."""

    source: MappedSide
    target: MappedSide
    details: dict[str, Any] = field(default_factory=dict)

    def map_source(self, vectors: np.ndarray) -> np.ndarray:
        """Return source vectors (n, d) in the common space, (n, d) float32."""
        return self.source.apply(vectors)

    def map_target(self, vectors: np.ndarray) -> np.ndarray:
        """Return target vectors (n, d) in the common space, (n, d) float32."""
        return self.target.apply(vectors)

    def into_target(self, vectors: np.ndarray) -> np.ndarray:
        """Return source vectors (n, d) in the target's own coordinates, (n, d) float32; the target need not
        move.

        `map_source`, then the inverse of the target's map. Scaling to length 1 keeps no length, so it is
        undone with the source vector's own: under a map that is the identity, a vector comes back as it
        was. Raises ConfigError where the target's map has no inverse.
        """
        if len(self.source.normalisation.steps) != len(self.target.normalisation.steps):
            raise ConfigError(
                "the languages were normalised differently: there is no way into the target's own space"
            )
        normalised, lengths = self.source.normalisation.forward(vectors)
        return self.target.normalisation.backward(product(normalised, self._across), lengths)

    @cached_property
    def _across(self) -> np.ndarray | None:
        """The source's matrix times the inverse of the target's (d, d)."""
        if self.target.matrix is None:
            return self.source.matrix
        target = np.asarray(self.target.matrix, dtype=np.float64)
        if np.linalg.cond(target) > 1e6:  # float32 vectors would keep no digit
            raise ConfigError(
                "the target's map is singular to working precision, so source vectors cannot be brought into "
                "the target's own space: map both languages into the common one, or use another mapper"
            )
        inverse = np.linalg.inv(target)
        return inverse if self.source.matrix is None else self.source.matrix @ inverse


def product(vectors: np.ndarray, matrix: np.ndarray | None) -> np.ndarray:
    """Return `vectors` (n, d) float32 times `matrix` (d, d), block by block; the same bytes on any number
    of cores.
    """
    if matrix is None:
        return vectors
    matrix = matrix.astype(np.float32)
    out = np.empty((len(vectors), matrix.shape[1]), dtype=np.float32)

    def multiply(block: slice) -> None:
        np.matmul(vectors[block], matrix, out=out[block])

    over_blocks(multiply, len(vectors), BLOCK)
    return out
