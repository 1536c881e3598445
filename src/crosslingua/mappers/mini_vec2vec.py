"""mini-vec2vec: a linear map without a dictionary, from relations within each space (Dar 2025).

Centres of clusters of both spaces are paired so that their similarities agree. Words are compared by their similarities
with these centres, which gives a first map (Algorithm 2). Two refinements follow: by nearest neighbours (Algorithm 3)
and by clusters (Algorithm 4). Each step averages orthogonal maps, so the result is only nearly orthogonal.

The author's program has scikit-learn's K-means, and takes the first exchange of clusters that gains, not the best.
"""

import logging
from typing import Annotated

import numpy as np
from scipy.sparse import csr_array

from crosslingua.lexicon_induction.retrieval import mean_cosine, nearest, unit_rows
from crosslingua.mappers.mapper import Array, MappedSide, Mapper, Mapping, Recipe, product
from crosslingua.mappers.procrustes import rotation
from crosslingua.settings import Count, Share, Whole, settings

log = logging.getLogger(__name__)
ROUNDS = 100  # of K-means, at most


@settings
class MiniVec2Vec(Mapper):
    """Unsupervised map by paired centres of clusters (Dar 2025). Defaults are those of the author's program."""

    uses_pairs = False

    normalise: Annotated[Recipe, "as in Algorithm 1"] = "centre,unit"
    vocabulary_cutoff: Annotated[Count, "most frequent words that take part (not in the paper)"] = 20_000
    anchor_runs: Annotated[Count, "samples whose clusters are paired"] = 30
    anchor_sample: Annotated[Count, "words of a sample"] = 10_000
    anchors: Annotated[Count, "clusters of a sample"] = 20
    assignments: Annotated[Count, "random starts of pairing clusters, of which the best counts"] = 30
    neighbours: Annotated[Count, "nearest words whose mean stands for a translation"] = 50
    refinements: Annotated[Whole, "steps of the first refinement"] = 100
    refinement_sample: Annotated[Count, "words of a step"] = 1000
    clusters: Annotated[Whole, "of the second refinement; 0: none"] = 500
    smoothing: Annotated[Share, "weight of the map before, in a step of refinement"] = 0.5

    def _fit(self, source: Array, target: Array, pairs: Array | None, seed: int, device: str) -> Mapping:
        random = np.random.default_rng(seed)
        x, y = source[: self.vocabulary_cutoff], target[: self.vocabulary_cutoff]
        w = rotation(x, self._matched(x, y, random, device))
        mean_cosines = [self._agreement(x, y, w, device)]
        for _ in range(self.refinements):
            some = x[random.choice(len(x), min(self.refinement_sample, len(x)), replace=False)]
            w = self._smoothed(w, rotation(some, self._translations(product(some, w), y, y, device)))
        mean_cosines.append(self._agreement(x, y, w, device))
        if clusters := min(self.clusters, len(x), len(y)):
            centres = kmeans(x, spread(x, clusters, random))
            moved = kmeans(y, product(centres, w))
            w = self._smoothed(w, rotation(centres, moved))
            mean_cosines.append(self._agreement(x, y, w, device))
        log.info(
            "mini_vec2vec: mean cosine of nearest words %s", ", ".join(f"{one:.3f}" for one in mean_cosines)
        )
        return Mapping(MappedSide(matrix=w), MappedSide(), {"mean_cosine": mean_cosines})

    def _matched(self, x: Array, y: Array, random: np.random.Generator, device: str) -> Array:
        """Return a target vector (n, d) for each source word: the mean of those most alike in relation to centres."""
        anchors: tuple[list[Array], list[Array]] = [], []
        for _ in range(self.anchor_runs):
            centres = []
            for side in (x, y):
                some = side[random.choice(len(side), min(self.anchor_sample, len(side)), replace=False)]
                centres.append(kmeans(some, spread(some, min(self.anchors, len(x), len(y)), random)))
            paired = assignment(*map(_similarities, centres), self.assignments, random)
            anchors[0].append(centres[0])
            anchors[1].append(centres[1][paired])
        relations = [
            side @ unit_rows(np.concatenate(some)).T for side, some in zip((x, y), anchors, strict=True)
        ]
        return self._translations(*relations, y, device)

    def _translations(self, queries: Array, keys: Array, vectors: Array, device: str) -> Array:
        """Return for each query the mean of the vectors of the nearest keys."""
        k = min(self.neighbours, len(keys))
        return vectors[nearest(queries, keys, k=k, device=device)[0]].mean(axis=1)

    def _smoothed(self, before: Array, after: Array) -> Array:
        return self.smoothing * before + (1 - self.smoothing) * after

    def _agreement(self, x: Array, y: Array, w: Array, device: str) -> float:
        mapped = product(x, w)
        return mean_cosine(mapped, y[nearest(mapped, y, k=1, device=device)[0][:, 0]])


def assignment(a: Array, b: Array, starts: int, random: np.random.Generator) -> Array:
    """Return the order p (n,) of b's rows and columns that makes sum(a * b[p][:, p]) large (quadratic assignment).

    `a` and `b` (n, n) are symmetric, float64. From each random start, the best exchange is made until none gains.
    """
    best, highest = np.arange(len(a)), -np.inf
    for _ in range(starts):
        order = random.permutation(len(a))
        while True:
            gains = exchanges(a, b[np.ix_(order, order)])
            i, j = np.unravel_index(gains.argmax(), gains.shape)
            if gains[i, j] <= 1e-9 * np.abs(a).sum():
                break
            order[[i, j]] = order[[j, i]]
        if (value := float((a * b[np.ix_(order, order)]).sum())) > highest:
            best, highest = order, value
    return best


def exchanges(a: Array, b: Array) -> Array:
    """Return the gain (n, n) of sum(a * b) by an exchange of two rows and columns of b; both are symmetric."""
    both = a @ b
    of_a, of_b, of_both = np.diag(a), np.diag(b), np.diag(both)
    crossed = both + both.T - of_both[:, None] - of_both  # over all k: (a_ik - a_jk)(b_jk - b_ik)
    own = (of_a[:, None] - a) * (b - of_b[:, None])  # of k = i, and transposed of k = j
    diagonal = (of_a[:, None] - of_a) * (of_b - of_b[:, None])
    return 2 * (crossed - own - own.T) + diagonal


def spread(points: Array, number: int, random: np.random.Generator) -> Array:
    """Return points (number, d) that lie apart: each is drawn by its squared distance from the closest before it
    (K-means++, Arthur and Vassilvitskii 2007).
    """
    chosen = [int(random.integers(len(points)))]
    squares = np.full(len(points), np.inf)
    for _ in range(number - 1):
        squares = np.minimum(squares, np.square(points - points[chosen[-1]]).sum(axis=1, dtype=np.float64))
        total = squares.sum()
        shares = squares / total if total else None
        chosen.append(int(random.choice(len(points), p=shares)))
    return points[chosen]


def kmeans(points: Array, centres: Array) -> Array:
    """Return the centres (c, d) of clusters of points (n, d), from the given ones; those without a point stay."""
    nearest_of = np.full(len(points), -1)
    for _ in range(ROUNDS):
        before = nearest_of
        nearest_of = (points @ centres.T - np.square(centres).sum(axis=1) / 2).argmax(axis=1)
        if np.array_equal(nearest_of, before):
            break
        members = csr_array(
            (np.ones(len(points)), (nearest_of, np.arange(len(points)))), (len(centres), len(points))
        )
        counts = members.sum(axis=1)[:, None]
        centres = np.where(counts, members @ points / np.maximum(counts, 1), centres).astype(np.float32)
    return centres


def _similarities(points: Array) -> Array:
    """Return the inner products (n, n) of points less their mean, float64: rounding must not make an exchange gain."""
    moved = points.astype(np.float64) - points.mean(axis=0, dtype=np.float64)
    return moved @ moved.T
