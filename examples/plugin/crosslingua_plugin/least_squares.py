"""The linear map of least squares between dictionary pairs (Mikolov, Le and Sutskever 2013, Eq. 4)."""

from typing import Annotated

import numpy as np

from crosslingua.mappers.mapper import Array, MappedSide, Mapper, Mapping, Recipe
from crosslingua.settings import settings


@settings
class LeastSquares(Mapper):
    """A linear map that need not be a rotation; the target does not move."""

    normalise: Annotated[Recipe, "none: as published"] = "none"

    def _fit(self, source: Array, target: Array, pairs: Array, seed: int, device: str) -> Mapping:
        matrix, *_ = np.linalg.lstsq(source[pairs[:, 0]], target[pairs[:, 1]], rcond=None)
        return Mapping(MappedSide(matrix=matrix), MappedSide(), {"pairs": len(pairs)})
