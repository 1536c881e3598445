"""What the aligners on vectors share: batches through an embedding, scores, links, in the order of the text."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from typing import TypeVar

import numpy as np
import torch
from pydantic import SkipValidation
from torch import Tensor

from crosslingua.arrays import token_pairs
from crosslingua.io.pharaoh import Link
from crosslingua.mappers.mapper import workers
from crosslingua.nn.optimiser import use_threads
from crosslingua.settings import settings
from crosslingua.word_aligners.encoding import Pair, UnitBatch, UnitEmbedding, UnitPair, buckets, pools

S = TypeVar("S")
T = TypeVar("T")
POOL = 1024  # pairs among which those of like length are found


@settings
class VectorAligner(ABC):
    """An aligner of units by their vectors, with `VectorSettings` and its own.

    Links do not depend on threads, and on `batch_tokens` only where two scores are equal but for rounding.
    """

    embed: SkipValidation[UnitEmbedding]

    @abstractmethod
    def score(self, batch: UnitBatch) -> Tensor:
        """Return how well units fit (b, n, m); padding is arbitrary."""

    @abstractmethod
    def select(self, score: Tensor, batch: UnitBatch) -> Tensor:
        """Return the links, bool (b, n, m), false at padding."""

    def align(self, pairs: Iterable[Pair]) -> Iterator[frozenset[Link]]:
        """Yield the links of each tokenised pair, 0-based (source, target), in order; of the first layer.
        Raises ConfigError for what is no pair of two lists of words.
        """
        return (layers[0] for layers in self.align_layers(pairs))

    def align_layers(self, pairs: Iterable[Pair]) -> Iterator[tuple[frozenset[Link], ...]]:
        """Yield each pair's links for every layer of the embedding. A pair with an empty side has none."""
        return self._each(pairs, lambda batch: batch.word_links(self.select(self.score(batch), batch)))

    def explain(self, pair: Pair) -> tuple[np.ndarray, frozenset[Link]]:
        """Return the scores of word pairs, those of their best units, and the links; of the first layer."""
        grid = np.zeros(tuple(map(len, pair)))
        units = self.embed.units(pair)
        if not (units.source.ids and units.target.ids):
            return grid, frozenset()
        with torch.inference_mode():
            batch = UnitBatch.of([units], *self.embed.vectors([units], self.joint_encoding)[0])
            score = self.score(batch)
            links = batch.word_links(self.select(score, batch))
        i, j = batch.source_words[0], batch.target_words[0]
        np.maximum.at(grid, (i[:, None], j[None, :]), score[0].double().cpu().numpy())
        return grid, links[0]

    def _each(
        self, pairs: Iterable[Pair], function: Callable[[UnitBatch], list[T]]
    ) -> Iterator[tuple[T, ...]]:
        """Yield what `function` says of each pair, for every layer, in the order of `pairs`."""

        @torch.inference_mode()
        def work(chosen: list[UnitPair]) -> list[tuple[T, ...]]:
            layers = self.embed.vectors(chosen, self.joint_encoding)
            return list(zip(*(function(UnitBatch.of(chosen, *sides)) for sides in layers), strict=True))

        for items in pools(token_pairs(pairs), POOL):
            units = [self.embed.units(pair) for pair in items]
            divided = buckets([(len(s.ids), len(t.ids)) for s, t in units], self.batch_tokens)
            results = _side_by_side(work, [[units[k] for k in bucket] for bucket in divided])
            by_number = dict(zip(chain.from_iterable(divided), chain.from_iterable(results), strict=True))
            yield from (by_number[k] for k in range(len(items)))


def _side_by_side(function: Callable[[S], T], items: list[S]) -> list[T]:
    """Map with as many threads as `workers`. Torch uses one in each: products cut between threads round otherwise."""
    before = torch.get_num_threads()
    use_threads(1)
    try:
        if workers() == 1:
            return [function(item) for item in items]
        with ThreadPoolExecutor(workers()) as pool:
            return list(pool.map(function, items))
    finally:
        torch.set_num_threads(before)
