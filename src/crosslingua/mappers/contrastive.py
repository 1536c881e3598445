"""The first stage of ContrastiveBLI: linear maps that tell translations from near words (Li et al. 2022, section 2.1).

Both maps start as VecMap's for the dictionary. Steps of gradient descent then raise the cosine of translations against
those of the nearest other words. Self-learning adds the surest new pairs to the dictionary of the next start.
"""

import logging
from collections.abc import Sequence
from typing import Annotated

import numpy as np
from scipy.sparse import csr_array
from scipy.special import softmax

from crosslingua.lexicon_induction.retrieval import csls, mean_similarities, nearest
from crosslingua.mappers.mapper import Array, MappedSide, Mapper, Mapping, Recipe, product
from crosslingua.mappers.vecmap import final_maps
from crosslingua.settings import Count, Positive, SomeShare, settings

log = logging.getLogger(__name__)
REWEIGHT = 0.5  # exponent of the correlations in the start
CSLS_NEIGHBOURS = 10


@settings
class Contrastive(Mapper):
    """Contrastive maps by the dictionary, which self-learning enlarges (ContrastiveBLI's stage C1, Li et al. 2022).

    Defaults are those for 5,000 pairs. Those for 1,000 pairs are `lr=2 decay=1 steps=50 loops=3 negatives=60
    added=6000 frequent=20000 learn_added=true`.
    """

    normalise: Annotated[Recipe, "as in section 2.1"] = "unit"
    loops: Annotated[Count, "starts, of which all but the first have added pairs"] = 2
    steps: Annotated[Count, "of gradient descent after each start (their program: one more)"] = 200
    lr: Annotated[Positive, "of the first step"] = 1.5
    decay: Annotated[SomeShare, "by which each step multiplies the rate"] = 0.99
    clip_norm: Annotated[Positive, "largest norm of the gradient (their program)"] = 0.15
    negatives: Annotated[Count, "for each pair: the nearest wrong words of each language"] = 150
    negatives_from: Annotated[Count, "most frequent words from which negatives come (their program)"] = 60_000
    added: Annotated[Count, "surest pairs of either direction that self-learning adds"] = 10_000
    frequent: Annotated[Count, "most frequent words, whose translations are added"] = 60_000
    learn_added: Annotated[bool, "true: steps learn from added pairs too"] = False

    def _fit(self, source: Array, target: Array, pairs: Array, seed: int, device: str) -> Mapping:
        sides, given, losses, numbers = (source, target), pairs, [], []
        maps: Sequence[Array] = ()
        for _ in range(self.loops):
            new = self._new_pairs(sides, maps, given, device) if maps else given[:0]
            pairs = np.concatenate([given, new])
            numbers.append(len(new))
            *maps, _ = final_maps(source[pairs[:, 0]], target[pairs[:, 1]], REWEIGHT)
            for step in range(self.steps):
                loss, gradients = contrast(sides, maps, pairs if self.learn_added else given, self, device)
                losses.append(loss)
                norm = np.sqrt(sum(np.square(one).sum() for one in gradients))
                rate = self.lr * self.decay**step * min(1, self.clip_norm / (norm + 1e-6))
                maps = [one - rate * gradient for one, gradient in zip(maps, gradients, strict=True)]
            log.info("contrastive: %d new pairs, loss %.4f", len(new), loss)
        sides_of = (MappedSide(matrix=one) for one in maps)
        return Mapping(*sides_of, {"pairs": len(given), "added": numbers, "loss": losses})

    def _new_pairs(self, sides: Sequence[Array], maps: Sequence[Array], given: Array, device: str) -> Array:
        """Return the surest pairs (n, 2) of either direction whose words the dictionary lacks, by 2 cos - r."""
        mapped = [product(side, one) for side, one in zip(sides, maps, strict=True)]
        means = mean_similarities(*mapped, CSLS_NEIGHBOURS, device)
        found = []
        for turn in (1, -1):  # source to target, and back
            queries, keys = mapped[::turn]
            rows = np.arange(min(self.frequent, len(queries)))
            best, scores = csls(queries, keys, rows, k=1, means=means[::turn], device=device)
            surest = np.argsort(-(scores[:, 0] + means[::turn][0][rows]), kind="stable")[: self.added]
            found.append(np.stack([rows, best[:, 0]], axis=1)[surest][:, ::turn])
        pairs = np.unique(np.concatenate(found), axis=0)
        known = [np.isin(column, old) for column, old in zip(pairs.T, given.T, strict=True)]
        return pairs[~(known[0] | known[1])]


def contrast(
    sides: Sequence[Array], maps: Sequence[Array], pairs: Array, settings: Contrastive, device: str = "cpu"
) -> tuple[float, list[Array]]:
    """Return the mean loss of the pairs (k, 2) under two maps (d, d), and its gradients by the maps.

    `sides` are the source (n, d) and the target (m, d). A pair's loss is its cross-entropy among its own cosine and
    those of either word with the nearest other words. As in their program, lengths of mapped vectors are
    constants.
    """
    mapped = [product(side, one) for side, one in zip(sides, maps, strict=True)]
    lengths = [np.linalg.norm(one, axis=1, keepdims=True) for one in mapped]
    x, y = (one / length for one, length in zip(mapped, lengths, strict=True))
    rows, columns = pairs.T
    u, v = x[rows], y[columns]
    targets, near_targets = _others(u, y, columns, settings, device)
    sources, near_sources = _others(v, x, rows, settings, device)
    cosines = np.column_stack([np.einsum("ij,ij->i", u, v), near_targets, near_sources]).astype(np.float64)
    shares = softmax(cosines, axis=1)
    loss = -float(np.log(shares[:, 0]).mean())
    shares[:, 0] -= 1
    shares /= len(pairs)
    width = 1 + targets.shape[1]
    to_targets = _matrix(np.column_stack([columns, targets]), shares[:, :width], len(y))
    to_sources = _matrix(sources, shares[:, width:], len(x))
    ones = np.ones((len(pairs), 1))
    of_x = to_sources.T @ v + _matrix(rows[:, None], ones, len(x)).T @ (to_targets @ y)
    of_y = to_targets.T @ u + _matrix(columns[:, None], ones, len(y)).T @ (to_sources @ x)
    parts = zip(sides, (of_x, of_y), lengths, strict=True)
    return loss, [side.T.astype(np.float64) @ (one / length) for side, one, length in parts]


def _others(
    queries: Array, keys: Array, right: Array, settings: Contrastive, device: str
) -> tuple[Array, Array]:
    """Return the rows (k, c) of the nearest keys of each query but for its translation, and their cosines."""
    keys = keys[: settings.negatives_from]
    number = min(settings.negatives, len(keys) - 1)
    found, cosines = nearest(queries, keys, k=number + 1, device=device)
    other = found != right[:, None]
    other[other.all(axis=1), -1] = False
    return found[other].reshape(len(found), number), cosines[other].reshape(len(found), number)


def _matrix(columns: Array, values: Array, width: int) -> csr_array:
    """Return a matrix (k, width) with the values (k, c) in each row's columns (k, c)."""
    starts = np.arange(len(columns) + 1) * columns.shape[1]
    return csr_array((values.ravel(), columns.ravel(), starts), shape=(len(columns), width))
