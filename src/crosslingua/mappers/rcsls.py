"""RCSLS: a map trained on the retrieval criterion, relaxed CSLS (Joulin et al. 2018, Eq. 4 and section 3).

For mapped pairs (x_i W, y_i) and k neighbours in the whole vocabularies, the loss is

    1/n sum_i [ -2 <x_i W, y_i> + 1/k sum_{y in N_Y(x_i W)} <x_i W, y> + 1/k sum_{x in N_X(y_i)} <x W, y_i> ].

It is convex in W, as a mean of the k largest linear functions is. The subgradient holds the neighbours fixed.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, Literal

import numpy as np

from crosslingua.mappers.mapper import Array, MappedSide, Mapper, Mapping, Recipe, product
from crosslingua.mappers.neighbours import MovingNeighbours
from crosslingua.mappers.procrustes import rotation
from crosslingua.settings import Count, NotNegative, Positive, settings

ON_GPU = 2**28  # inner products that a GPU holds at a time (1 GiB)


class Neighbourhood:
    """One side of the dictionary, `words` (n, d), and the nearest to each in the other side's vocabulary (m, d). The
    neighbours of a repeated word are searched once.
    """

    def __init__(self, words: Array, vocabulary: Array, k: int):
        self.words, self.weighted = distinct(words)
        self.vocabulary, self.neighbours = vocabulary, MovingNeighbours(vocabulary, k)

    def moment(self, w: Array) -> Array:
        """Return the mean over pairs of x' z, (d, d): z the mean of the nearest to x `w` in the vocabulary."""
        nearest = self.neighbours.nearest(product(self.words, w))
        return self.weighted.T @ self.vocabulary[nearest].mean(axis=1, dtype=np.float64)


class NeighbourhoodOnGpu:
    """The same on a GPU, which searches the whole vocabulary each time."""

    def __init__(self, words: Array, vocabulary: Array, k: int, device: str):
        import torch

        sides = (*distinct(words), vocabulary)
        self.words, self.weighted, self.vocabulary = (torch.from_numpy(side).to(device) for side in sides)
        self.k = k

    def moment(self, w: Array) -> Array:
        """Return what `Neighbourhood.moment` returns, but for the order of sums."""
        import torch

        mapped = self.words @ torch.from_numpy(w.astype(np.float32)).to(self.words.device)
        total = torch.zeros(w.shape, dtype=torch.float64, device=mapped.device)
        step = max(1, ON_GPU // max(len(self.vocabulary), self.k * len(w)))
        for some, weighted in zip(mapped.split(step), self.weighted.split(step), strict=True):
            nearest = (some @ self.vocabulary.T).topk(self.k, dim=1).indices
            total += weighted.T @ self.vocabulary[nearest].mean(dim=1, dtype=torch.float64)
        return total.cpu().numpy()


def distinct(words: Array) -> tuple[Array, Array]:
    """Return each of the words (n, d) once, (m, d), and times its share of them, (m, d) float64."""
    rows = np.ascontiguousarray(words).view(np.dtype((np.void, words[0].nbytes)))[:, 0]
    _, first, counts = np.unique(rows, return_index=True, return_counts=True)
    return words[first], words[first] * (counts / len(words))[:, None]


@dataclass(frozen=True)
class RcslsProblem:
    """Dictionary pairs `x`, `y` (n, d) and the vocabularies of their neighbours; float32."""

    x: Array
    y: Array
    source: Array
    target: Array
    k: int
    device: str = "cpu"

    @cached_property
    def _moments(self) -> tuple[Neighbourhood | NeighbourhoodOnGpu, ...]:
        sides = (self.x, self.target), (self.y, self.source)
        if self.device == "cpu":
            return tuple(Neighbourhood(*side, self.k) for side in sides)
        return tuple(NeighbourhoodOnGpu(*side, self.k, self.device) for side in sides)

    @cached_property
    def _pairs(self) -> Array:
        x, y = self.x.astype(np.float64), self.y.astype(np.float64)
        return -2 * x.T @ y / len(x)

    def loss(self, w: Array) -> tuple[float, Array]:
        """Return the loss at `w` (d, d) and its (sub)gradient there, (d, d) float64."""
        of_x, of_y = self._moments
        # The loss is <W, gradient>: every term is linear in W while the neighbours stay.
        gradient = self._pairs + of_x.moment(w) + of_y.moment(w.T).T
        return float(np.sum(w * gradient)), gradient


@settings
class RCSLS(Mapper):
    """(Sub)gradient descent on the CSLS loss from the Procrustes solution (Joulin et al. 2018); the target does not
    move.

    Defaults are the authors' program's. The paper picks lr from {1, 10, 25, 50} and niter from {10, 20} on held-out
    pairs (section 4).
    """

    lr: Annotated[Positive, "first step size; halved whenever a step does not lower the loss"] = 1.0
    niter: Annotated[Count, "steps, including rejected ones"] = 10
    knn: Annotated[Count, "neighbours, k of CSLS"] = 10
    max_neg: Annotated[Count, "most frequent words in which neighbours are sought"] = 200_000
    projection: Annotated[Literal["none", "spectral"], "spectral: singular values up to 1"] = "none"
    reg: Annotated[NotNegative, "weight decay a step, times lr"] = 0.0
    normalise: Annotated[Recipe, "vectors have length 1 (section 3.1); steps as in unit,centre,unit"] = "unit"

    def _fit(self, source: Array, target: Array, pairs: Array | None, seed: int, device: str) -> Mapping:
        x, y = source[pairs[:, 0]], target[pairs[:, 1]]
        source, target = source[: self.max_neg], target[: self.max_neg]
        problem = RcslsProblem(x, y, source, target, min(self.knn, len(source), len(target)), device)
        w, details = self._descend(problem, rotation(x, y))
        details = {"pairs": len(x), "neighbours": problem.k, **details}
        return Mapping(MappedSide(matrix=w), MappedSide(), details)

    def _descend(self, problem: RcslsProblem, w: Array) -> tuple[Array, dict[str, Any]]:
        lr, rejected = self.lr, 0
        loss, gradient = problem.loss(w)
        losses = [loss]
        for _ in range(self.niter):
            if lr < 1e-4:
                break
            tried = self._project(w * (1 - lr * self.reg) - lr * gradient)
            new_loss, new_gradient = problem.loss(tried)
            if new_loss > loss:
                lr, rejected = lr / 2, rejected + 1
                continue
            w, loss, gradient = tried, new_loss, new_gradient
            losses.append(loss)
        return w, {"losses": losses, "final_lr": lr, "rejected_steps": rejected}

    def _project(self, w: Array) -> Array:
        if self.projection == "none":
            return w
        u, s, vt = np.linalg.svd(w)
        return (u * np.minimum(s, 1)) @ vt
