"""The closest orthogonal map between dictionary pairs (joint_align, Eq. 2 and 3; Xing et al. 2015; Schönemann 1966)."""

from typing import Annotated

import numpy as np

from crosslingua.mappers.mapper import Array, MappedSide, Mapper, Mapping, Recipe
from crosslingua.settings import settings


def rotation(source: Array, target: Array) -> Array:
    """Return the orthogonal W (d, d) float64 that minimises ||source W - target||_F; rows are pairs."""
    return rotation_of(source.astype(np.float64).T @ target.astype(np.float64))


def rotation_of(product: Array) -> Array:
    """Return the same W from `product` (d, d), the transposed source times the target."""
    u, _, vt = np.linalg.svd(product)
    return u @ vt


@settings
class Procrustes(Mapper):
    """Orthogonal Procrustes on the dictionary pairs (joint_align, Eq. 2 and 3); the target does not move."""

    normalise: Annotated[Recipe, "none: vectors as they are (joint_align, Eq. 1); unit: Xing et al. 2015"] = (
        "none"
    )

    def _fit(self, source: Array, target: Array, pairs: Array | None, seed: int, device: str) -> Mapping:
        x, y = source[pairs[:, 0]], target[pairs[:, 1]]
        w = rotation(x, y)
        mapped = x @ w
        lengths = np.linalg.norm(mapped, axis=1) * np.linalg.norm(y, axis=1)
        cosines = np.einsum("ij,ij->i", mapped, y, dtype=np.float64) / lengths
        details = {"pairs": len(pairs), "mean_cosine": float(np.mean(cosines))}
        return Mapping(MappedSide(matrix=w), MappedSide(), details)
