"""VecMap: robust self-learning from no dictionary, a small one, or a full one (Artetxe et al. 2018b; 2018a).

Without supervision, translations are paired by the distributions of their similarities within each language (section
3.2). Self-learning alternates the best orthogonal map and a new dictionary, with random drops to leave poor optima
(3.3). At the end both languages are whitened, mapped, re-weighted by their correlation, and de-whitened (3.4).
"""

import logging
import time
from dataclasses import replace
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field

from crosslingua.errors import ConfigError
from crosslingua.mappers.mapper import Array, MappedSide, Mapper, Mapping, Recipe, fit_both, product
from crosslingua.settings import Count, NotNegative, SomeShare, settings

log = logging.getLogger(__name__)
EVERY = 15.0  # seconds between lines of progress


@settings
class VecMap(Mapper):
    """Self-learning from the start that `mode` names (Artetxe et al. 2018); `supervised` takes the dictionary alone."""

    mode: Annotated[
        Literal["unsupervised", "semi_supervised", "supervised"],
        "semi_supervised: self-learning starts from the dictionary",
    ] = "unsupervised"
    normalise: Annotated[Recipe, "as in section 3.1"] = "unit,centre,unit"
    csls_neighbours: Annotated[Count, "k of CSLS (section 3.3)"] = 10
    unsupervised_vocabulary: Annotated[Count, "most frequent words that initialise (their program)"] = 4000
    vocabulary_cutoff: Annotated[Count, "most frequent words in dictionaries (section 3.3)"] = 20_000
    stochastic_initial: Annotated[SomeShare, "first probability to keep a similarity (section 3.3)"] = 0.1
    stochastic_multiplier: Annotated[float, Field(gt=1), "its growth at rest (section 3.3)"] = 2.0
    stochastic_interval: Annotated[Count, "iterations without gain that count as rest (their program)"] = 50
    threshold: Annotated[NotNegative, "least improvement of the objective, the mean cosine (section 3.3)"] = (
        1e-6
    )
    runs: Annotated[Count, "independent runs, of which the best objective counts (not in the paper)"] = 1
    reweight: Annotated[
        NotNegative, "exponent of the re-weighting (section 3.4); 0: an orthogonal map, no whitening"
    ] = 0.5
    min_gain: Annotated[NotNegative, "see `floor` (not in the paper); 0: nothing is called degenerate"] = 0.1

    @property
    def uses_pairs(self) -> bool:
        """Whether `mode` starts from a dictionary."""
        return self.mode != "unsupervised"

    def _fit(self, source: Array, target: Array, pairs: Array | None, seed: int, device: str) -> Mapping:
        if pairs is None:
            n = min(self.unsupervised_vocabulary, len(source), len(target))
            start = source[:n], target[:n], self.normalise, self.csls_neighbours
            pairs = initial_dictionary(*start, device)
        details: dict[str, Any] = {"mode": self.mode, "initial_pairs": len(pairs)}
        if self.mode != "supervised":
            learnt = [self._learn(source, target, pairs, (seed, run), device) for run in range(self.runs)]
            best = int(np.argmax([run["objective"][-1] for _, run in learnt]))
            pairs, learning = learnt[best]
            details |= learning | {"objective_of_runs": [run["objective"][-1] for _, run in learnt]}
        if self.mode == "unsupervised" and self.min_gain:
            floor = self.floor(source, target, (seed, self.runs), device)
            details |= {"floor": floor, "degenerate": details["objective"][-1] < floor}
        u, v, correlations = final_maps(source[pairs[:, 0]], target[pairs[:, 1]], self.reweight)
        details |= {"pairs": len(pairs), "least_correlation": float(correlations.min())}
        return Mapping(MappedSide(matrix=u), MappedSide(matrix=v), details)

    def floor(self, source: Array, target: Array, seed: tuple[int, int], device: str = "cpu") -> float:
        """Return the objective below which a map counts as degenerate. It is `min_gain` of the way from random pairs'
        objective, which self-learning raises, to 1. Nothing is dropped: with drops, random pairs often lead to the
        right map.
        """
        random = np.random.default_rng(seed)
        n = min(self.unsupervised_vocabulary, len(source), len(target))
        pairs = np.stack([random.permutation(n), random.permutation(n)], axis=1)
        learnt = replace(self, stochastic_initial=1.0)._learn(source, target, pairs, seed, device)
        chance = learnt[1]["objective"][-1]
        return chance + self.min_gain * (1 - chance)

    def _learn(
        self, source: Array, target: Array, pairs: Array, seed: tuple[int, int], device: str = "cpu"
    ) -> tuple[Array, dict[str, Any]]:
        """Alternate map and dictionary until nothing is dropped and the objective converges; return the pairs."""
        spaces = (Spaces if device == "cpu" else SpacesOnGpu)(source, target, self.vocabulary_cutoff, device)
        keep, best, rested, objectives = self.stochastic_initial, -np.inf, 0, []
        shown = time.monotonic()
        while True:
            key, before = (*seed, len(objectives)), pairs
            pairs, objective = spaces.induce(pairs, self.csls_neighbours, keep, key)
            if not len(pairs):
                raise ConfigError(
                    f"vecmap: no similarity is left when {keep:.0%} are kept: raise stochastic_initial or give more "
                    "words"
                )
            objectives.append(objective)
            rested = 0 if objective > best + self.threshold else rested + 1
            best = max(best, objective)
            at_rest = rested > self.stochastic_interval
            if keep >= 1 and (at_rest or np.array_equal(pairs, before)):
                break
            if at_rest or time.monotonic() - shown > EVERY:
                log.info("vecmap: iteration %d, kept %.2f, mean cosine %.4f", len(objectives), keep, best)
                shown = time.monotonic()
            if at_rest:
                keep, rested = min(1.0, keep * self.stochastic_multiplier), 0
        words = [len(side[: self.vocabulary_cutoff]) for side in (source, target)]
        return pairs, {"iterations": len(objectives), "objective": objectives, "words": words}


class Spaces:
    """Two spaces (n, d) and (m, d), whose `most` first words enter dictionaries."""

    def __init__(self, source: Array, target: Array, most: int, device: str = "cpu"):
        self._whole, self._most = (source, target), most

    def induce(self, pairs: Array, k: int, keep: float, key: tuple[int, ...]) -> tuple[Array, float]:
        """Return `induce` of the spaces under the best orthogonal maps of pairs (rows, 2)."""
        from crosslingua.mappers.induction import induce  # numba, which who checks settings does without

        maps = orthogonal_maps(*(side[rows] for side, rows in zip(self._whole, pairs.T, strict=True)))
        mapped = (product(side[: self._most], w) for side, w in zip(self._whole, maps, strict=True))
        return induce(*mapped, k, keep, key)


class SpacesOnGpu:
    """The same on a GPU, where they stay."""

    def __init__(self, source: Array, target: Array, most: int, device: str):
        import torch

        self._whole = [torch.from_numpy(side).to(device) for side in (source, target)]
        self._most = most

    def induce(self, pairs: Array, k: int, keep: float, key: tuple[int, ...]) -> tuple[Array, float]:
        """Return what `Spaces.induce` returns, but for words of almost equally near translations."""
        import torch

        from crosslingua.mappers.induction import induce_on_gpu

        device = self._whole[0].device
        rows = torch.from_numpy(np.ascontiguousarray(pairs.T)).to(device)
        x, z = (side[some].double() for side, some in zip(self._whole, rows, strict=True))
        u, _, vt = np.linalg.svd((x.T @ z).cpu().numpy())  # slow on a GPU
        maps = (torch.from_numpy(w.astype(np.float32)).to(device) for w in (u, vt.T))
        mapped = (side[: self._most] @ w for side, w in zip(self._whole, maps, strict=True))
        return induce_on_gpu(*mapped, k, keep, key)


def initial_dictionary(
    source: Array, target: Array, recipe: str, neighbours: int, device: str = "cpu"
) -> Array:
    """Pair words (n, d) and (n, d) by their distributions of similarity (section 3.2); return rows (2 n, 2)."""
    from crosslingua.mappers.induction import induce, induce_on_gpu

    (_, x), (_, z) = fit_both(*(np.sort(root_similarities(m), axis=1) for m in (source, target)), recipe)
    if device == "cpu":
        return induce(x, z, neighbours)[0]
    import torch

    return induce_on_gpu(*(torch.from_numpy(side).to(device) for side in (x, z)), neighbours)[0]


def root_similarities(matrix: Array) -> Array:
    """Return the symmetric square root (n, n) float32 of `matrix @ matrix.T`: U S U' with the thin U S V'."""
    u, s, _ = np.linalg.svd(matrix, full_matrices=False)
    return product(np.ascontiguousarray(u * s), u.T)


def orthogonal_maps(source: Array, target: Array) -> tuple[Array, Array]:
    """Return orthogonal U, V (d, d) that maximise sum (source U) * (target V); rows are dictionary pairs."""
    u, _, vt = np.linalg.svd(source.astype(np.float64).T @ target.astype(np.float64))
    return u, vt.T


def final_maps(source: Array, target: Array, reweight: float) -> tuple[Array, Array, Array]:
    """Return the maps (d, d) of section 3.4 and the correlations (d,); ConfigError where pairs do not span it."""
    x, z = source.astype(np.float64), target.astype(np.float64)
    if not reweight:
        u, s, vt = np.linalg.svd(x.T @ z)
        return u, vt.T, s
    (x_white, x_back), (z_white, z_back) = _whitening(x), _whitening(z)
    u, s, vt = np.linalg.svd(x_white @ x.T @ z @ z_white)
    weights, v = s**reweight, vt.T
    return (x_white @ u * weights) @ (u.T @ x_back @ u), (z_white @ v * weights) @ (vt @ z_back @ v), s


def _whitening(matrix: Array) -> tuple[Array, Array]:
    """Return (X'X)^-1/2 and its inverse."""
    _, s, vt = np.linalg.svd(matrix, full_matrices=False)
    if len(s) < matrix.shape[1] or s[-1] < 1e-6 * s[0]:
        raise ConfigError(
            f"the {len(matrix)} dictionary pairs do not span the {matrix.shape[1]} dimensions, so they cannot "
            "be whitened: give more pairs (where there is no dictionary, more text) or vectors of fewer dimensions, or"
            " for vecmap set reweight=0, which gives an orthogonal map"
        )
    return (vt.T / s) @ vt, (vt.T * s) @ vt
