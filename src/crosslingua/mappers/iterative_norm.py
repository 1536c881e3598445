"""Iterative normalisation in front of any other mapper (Zhang et al. 2019, section 4). Alternating steps give vectors
of length about 1 and mean about zero, which suit an orthogonal map.
"""

from dataclasses import field
from typing import Annotated, Any

import numpy as np

from crosslingua.mappers.mapper import Array, MappedSide, Mapper, Mapping, build, fit_both
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

    def _mapper(self) -> Mapper:
        return build(self.inner, self.inner_settings)

    def _fit(self, source: Array, target: Array, pairs: Array | None, seed: int, device: str) -> Mapping:
        recipe = "unit,centre," * self.rounds + "unit"
        (source_steps, source), (target_steps, target) = fit_both(source, target, recipe)
        mapping = self._mapper().fit(source, target, pairs, seed=seed, device=device)
        offsets = {
            f"{name}_mean_length": float(np.linalg.norm(matrix.mean(axis=0, dtype=np.float64)))
            for name, matrix in (("source", source), ("target", target))
        }
        return Mapping(
            MappedSide(source_steps.then(mapping.source.normalisation), mapping.source.matrix),
            MappedSide(target_steps.then(mapping.target.normalisation), mapping.target.matrix),
            {"rounds": self.rounds, **offsets, "inner": self.inner, "inner_details": mapping.details},
        )
