"""Iterative normalisation in front of any other mapper (Zhang et al. 2019, section 4). Alternating steps give vectors
of length about 1 and mean about zero, which suit an orthogonal map.
"""

from dataclasses import field
from typing import Annotated, Any

import numpy as np

from crosslingua.mappers.mapper import Array, Mapper, Mapping, build
from crosslingua.settings import Count, settings


@settings
class IterativeNorm(Mapper):
    """Scale to length 1 and centre `rounds` times, scale, then fit the `inner` mapper (Zhang et al. 2019)."""

    inner: Annotated[str, "a mapper; the main of the three of section 5 is procrustes"] = "procrustes"
    rounds: Annotated[Count, "five are enough for convergence (section 4)"] = 5
    inner_settings: dict[str, Any] = field(default_factory=dict)  # as text: --set inner.niter=20

    def __post_init__(self) -> None:
        self._mapper()

    @property
    def uses_pairs(self) -> bool:
        """Whether the inner mapper needs a dictionary."""
        return self._mapper().uses_pairs

    @property
    def normalise(self) -> str:
        """The recipe of all rounds."""
        return "unit,centre," * self.rounds + "unit"

    def _mapper(self) -> Mapper:
        return build(self.inner, self.inner_settings)

    def _fit(self, source: Array, target: Array, pairs: Array | None, seed: int, device: str) -> Mapping:
        mapping = self._mapper().fit(source, target, pairs, seed=seed, device=device)
        offsets = {
            f"{name}_mean_length": float(np.linalg.norm(matrix.mean(axis=0, dtype=np.float64)))
            for name, matrix in (("source", source), ("target", target))
        }
        details = {"rounds": self.rounds, **offsets, "inner": self.inner, "inner_details": mapping.details}
        return Mapping(mapping.source, mapping.target, details)
