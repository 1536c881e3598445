"""SimAlign (Jalili Sabet et al. 2020): links from the similarity matrix of two sentences, for a batch at once."""

from collections.abc import Iterable, Iterator

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import normalize

from crosslingua.io.pharaoh import Link
from crosslingua.settings import settings
from crosslingua.word_aligners.aligner import VectorAligner
from crosslingua.word_aligners.encoding import Pair, UnitBatch
from crosslingua.word_aligners.settings import ItermaxSettings, SimAlignSettings
from crosslingua.word_aligners.transport import mutual_best

Edge = tuple[int, int, float]  # source word, target word, normalised entropy


def cosine_similarity(source: Tensor, target: Tensor) -> Tensor:
    """Return cosines (b, n, m) of vectors (b, n, d) and (b, m, d), moved to [0, 1]; a zero vector's are 0.5."""
    cosines = torch.bmm(normalize(source, dim=2), normalize(target, dim=2).transpose(1, 2))
    return cosines.add_(1.0).div_(2.0)


def distortion_matrix(source_mask: Tensor, target_mask: Tensor, kappa: float) -> Tensor:
    """Return 1 - kappa (i / (n - 1) - j / (m - 1))^2 (b, n, m), i, j from 0; 1 where n or m is below 2.

    As in the authors' program; the paper divides by n (section 2.3).
    """
    lengths = [mask.sum(1)[:, None, None] for mask in (source_mask, target_mask)]
    i = torch.arange(source_mask.shape[1], device=source_mask.device)[None, :, None]
    j = torch.arange(target_mask.shape[1], device=source_mask.device)[None, None, :]
    place_i, place_j = (place / (n - 1).clamp(min=1) for place, n in zip((i, j), lengths, strict=True))
    short = (lengths[0] < 2) | (lengths[1] < 2)
    return (1 - kappa * (place_i - place_j) ** 2).masked_fill(short, 1.0)


def itermax(
    similarity: Tensor, source_mask: Tensor, target_mask: Tensor, alpha: float = 0.9, iterations: int = 2
) -> Tensor:
    """Return the links, bool (b, n, m), of Itermax on non-negative similarities (section 2.2, algorithm 1).

    Pairs of units that are both linked are out, with one linked unit discounted by `alpha`. As in the authors'
    program, pairs with a side of two units or fewer end with the first iteration.
    """
    links = mutual_best(similarity, source_mask, target_mask)
    long_enough = torch.minimum(source_mask.sum(1), target_mask.sum(1)) > 2
    for _ in range(iterations - 1):
        free_source, free_target = source_mask & ~links.any(2), target_mask & ~links.any(1)
        going_on = long_enough & free_source.any(1) & free_target.any(1)
        some = free_source[:, :, None] | free_target[:, None, :]
        both = free_source[:, :, None] & free_target[:, None, :]
        left = torch.where(both, similarity, alpha * similarity) * some
        links = links | (mutual_best(left, source_mask, target_mask) & some & going_on[:, None, None])
    return links


def normalised_entropy(similarity: Tensor, source_mask: Tensor, target_mask: Tensor) -> Tensor:
    """Return the smaller entropy of row and column (b, n, m), each over its largest value (section 2.3, Null)."""
    s = similarity * (source_mask[:, :, None] & target_mask[:, None, :])
    rows, columns = (_entropy(s, dim, mask) for dim, mask in ((2, target_mask), (1, source_mask)))
    return torch.minimum(rows, columns)


def _entropy(s: Tensor, dim: int, mask: Tensor) -> Tensor:
    share = s / s.sum(dim, keepdim=True).clamp(min=1e-30)
    largest = mask.sum(1).clamp(min=2).log()[:, None, None]
    return torch.special.entr(share).sum(dim, keepdim=True) / largest


@settings
class SimAlign(SimAlignSettings, VectorAligner):
    """What the two methods share. Sentences are encoded by themselves and compared by cosine, as published.

    The paper's extensions are off by default, as in its main results: `distortion` (0.5 in the paper), and
    `null_percentile` (95 in the paper): links whose entropy is above this percentile of the entropies of all
    links in the text are taken out again. It needs all links of the text in memory before the first one is out.
    """

    def score(self, batch: UnitBatch) -> Tensor:
        """Return cosines between 0 and 1, less their distortion."""
        similarity = cosine_similarity(batch.source, batch.target)
        if self.distortion:
            similarity *= distortion_matrix(batch.source_mask, batch.target_mask, self.distortion)
        return similarity

    def align_layers(self, pairs: Iterable[Pair]) -> Iterator[tuple[frozenset[Link], ...]]:
        """Yield each pair's links for every layer of the embedding; see `VectorAligner`."""
        if self.null_percentile == 100:
            return super().align_layers(pairs)
        return self._without_null(list(self._each(pairs, self._edges)))

    def _edges(self, batch: UnitBatch) -> list[list[Edge]]:
        score = self.score(batch)
        links = self.select(score, batch)
        entropy = normalised_entropy(score, batch.source_mask, batch.target_mask)[links].tolist()
        result: list[list[Edge]] = [[] for _ in batch.source]
        columns = (column.tolist() for column in batch.word_edges(links))
        for pair, i, j, value in zip(*columns, entropy, strict=True):
            result[pair].append((i, j, value))
        return result

    def _without_null(self, edges: list[tuple[list[Edge], ...]]) -> Iterator[tuple[frozenset[Link], ...]]:
        thresholds = []
        for layer in zip(*edges, strict=True):
            entropies = [value for pair in layer for _, _, value in pair]
            thresholds.append(np.percentile(entropies, self.null_percentile) if entropies else np.inf)
        for pair in edges:
            yield tuple(
                frozenset((i, j) for i, j, value in layer if value <= most)
                for layer, most in zip(pair, thresholds, strict=True)
            )


@settings
class SimAlignArgmax(SimAlign):
    """Links units that are each other's most similar one (section 2.2, Argmax)."""

    def select(self, score: Tensor, batch: UnitBatch) -> Tensor:
        """Return the mutual argmax."""
        return mutual_best(score, batch.source_mask, batch.target_mask)


@settings
class SimAlignItermax(ItermaxSettings, SimAlign):
    """Argmax, again and again on what is left (section 2.2, Itermax)."""

    def select(self, score: Tensor, batch: UnitBatch) -> Tensor:
        """Return the links of all iterations."""
        return itermax(score, batch.source_mask, batch.target_mask, self.alpha, self.iterations)
