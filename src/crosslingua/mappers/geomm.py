"""GeoMM: a rotation a language and a metric of the common space (Jawanpuria et al. 2019, section 3, Eq. 2).

X (n_s, d) and Z (n_t, d) are the distinct source and target words of the dictionary. Y (n_s, n_t) is 1 for translations
and 0 elsewhere. Minimise over U, V orthogonal and B symmetric positive definite

    ||X U B V' Z' - Y||^2 + lambda ||B||^2.

The common space is x -> x U B^1/2, z -> z V B^1/2, where inner products are the fitted similarities.
"""

from dataclasses import dataclass
from typing import Annotated, Self

import numpy as np

from crosslingua.mappers.mapper import Array, MappedSide, Mapper, Mapping, Recipe
from crosslingua.settings import Count, NotNegative, settings


@dataclass(frozen=True)
class GeommProblem:
    """The objective in matrices of size (d, d): Gram matrices X'X and Z'Z, X'YZ, and ||Y||^2."""

    source_gram: Array
    target_gram: Array
    cross: Array
    ones: int
    l2_reg: float

    @classmethod
    def of(cls, source: Array, target: Array, pairs: Array, l2_reg: float) -> Self:
        """Return the problem of vectors and the rows (k, 2) of dictionary pairs, without repeats."""
        pairs = np.unique(pairs, axis=0)
        sides = zip((source, target), pairs.T, strict=True)
        x, z = (side[np.unique(rows)].astype(np.float64) for side, rows in sides)
        cross = source[pairs[:, 0]].astype(np.float64).T @ target[pairs[:, 1]].astype(np.float64)
        return cls(x.T @ x, z.T @ z, cross, len(pairs), l2_reg)

    def cost(self, u: Array, b: Array, v: Array) -> float:
        """Return the objective."""
        w = u @ b @ v.T
        fit = np.sum((self.source_gram @ w) * (w @ self.target_gram)) - 2 * np.sum(w * self.cross) + self.ones
        return float(fit + self.l2_reg * np.sum(b * b))

    def gradient(self, u: Array, b: Array, v: Array) -> tuple[Array, Array, Array]:
        """Return the Euclidean gradient with respect to `u`, symmetric `b`, and `v`."""
        w = 2 * (self.source_gram @ (u @ b @ v.T) @ self.target_gram - self.cross)
        along_b = u.T @ w @ v
        return w @ v @ b, (along_b + along_b.T) / 2 + 2 * self.l2_reg * b, w.T @ u @ b

    def start(self) -> tuple[Array, Array, Array]:
        """Return the Procrustes solution with the best multiple of the identity as metric. It fixes the sign of the
        determinant, which no path on the manifolds can change.
        """
        u, _, vt = np.linalg.svd(self.cross)
        w = u @ vt
        square = np.sum((self.source_gram @ w) * (w @ self.target_gram)) + self.l2_reg * len(w)
        return u, np.eye(len(w)) * (np.sum(w * self.cross) / square), vt.T


@settings
class GeoMM(Mapper):
    """A rotation of each language and a metric (Jawanpuria et al. 2019), by Riemannian conjugate gradients (pymanopt).

    Defaults are from the authors' runs (Table 1, from English).
    """

    l2_reg: Annotated[NotNegative, "lambda; section 5 selects from 10, 100, 1000, 10000"] = 1e3
    max_opt_iter: Annotated[Count, "iterations of the optimiser"] = 150
    normalise: Recipe = "unit,centre"

    def _fit(self, source: Array, target: Array, pairs: Array | None, seed: int, device: str) -> Mapping:
        problem = GeommProblem.of(source, target, pairs, self.l2_reg)
        (u, b, v), details = self._optimise(problem)
        values, vectors = np.linalg.eigh(b)
        root = (vectors * np.sqrt(values)) @ vectors.T
        details |= {"pairs": problem.ones, "metric_condition": float(values[-1] / values[0])}
        return Mapping(MappedSide(matrix=u @ root), MappedSide(matrix=v @ root), details)

    def _optimise(self, problem: GeommProblem) -> tuple[list[Array], dict]:
        import pymanopt
        from pymanopt.manifolds import Product, Stiefel, SymmetricPositiveDefinite
        from pymanopt.optimizers import ConjugateGradient

        d = len(problem.cross)
        manifold = Product([Stiefel(d, d), SymmetricPositiveDefinite(d), Stiefel(d, d)])
        cost = pymanopt.function.numpy(manifold)(problem.cost)
        gradient = pymanopt.function.numpy(manifold)(problem.gradient)
        # Seconds depend on the machine: they are no limit.
        limits = {"max_iterations": self.max_opt_iter, "max_time": float("inf")}
        optimizer = ConjugateGradient(**limits, verbosity=0, log_verbosity=1)
        stated = pymanopt.Problem(manifold, cost, euclidean_gradient=gradient)
        result = optimizer.run(stated, initial_point=list(problem.start()))
        return result.point, {
            "objective": [float(value) for value in result.log["iterations"]["cost"]],
            "iterations": result.iterations,
            "gradient_norm": float(result.gradient_norm),
            # without the seconds and iterations that pymanopt's sentence ends with
            "stopped": result.stopping_criterion.removeprefix("Terminated - ").partition(" reached")[0],
        }
