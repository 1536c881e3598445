"""What vector-based aligners align: units (subwords, or words) with vectors, in padded batches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
import torch
from torch import Tensor

from crosslingua.io.pharaoh import Link

Pair = tuple[list[str], list[str]]


class Units(NamedTuple):
    """A sentence as units: their `ids` (subwords, or rows of a matrix), and the word, from 0, that each is part of."""

    ids: list[int]
    words: list[int]


class UnitPair(NamedTuple):
    """A sentence pair as units."""

    source: Units
    target: Units


class UnitEmbedding(Protocol):
    """Where vectors come from: an encoder, or static word vectors."""

    def units(self, pair: Pair) -> UnitPair:
        """Divide the words of a pair into units."""

    def vectors(self, pairs: Sequence[UnitPair], joint: bool) -> list[tuple[Tensor, Tensor]]:
        """Return source vectors (b, n, d) and target vectors (b, m, d), float32, once for each layer.

        n and m are the largest numbers of units, at least 1; what stands at padding is arbitrary but finite.
        `joint`: encode the two sentences as one sequence, if there is anything to encode.
        """

    def report(self) -> None:
        """Log which words could not be represented, if there were any."""


@dataclass(frozen=True)
class UnitBatch:
    """b padded pairs: vectors (b, n, d) and (b, m, d), masks bool (b, n) and (b, m), and the words of the units."""

    source: Tensor
    target: Tensor
    source_mask: Tensor
    target_mask: Tensor
    source_words: np.ndarray
    target_words: np.ndarray

    @classmethod
    def of(cls, pairs: Sequence[UnitPair], source: Tensor, target: Tensor) -> UnitBatch:
        """Make it from units and their vectors."""
        sides = [padded([pair[side].words for pair in pairs], -1) for side in (0, 1)]
        masks = [torch.from_numpy(words >= 0).to(source.device) for words in sides]
        return cls(source, target, *masks, *sides)

    def word_edges(self, links: Tensor) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return pair, source word and target word of every true unit pair in `links` (b, n, m)."""
        pair, i, j = links.cpu().numpy().nonzero()
        return pair, self.source_words[pair, i], self.target_words[pair, j]

    def word_links(self, links: Tensor) -> list[frozenset[Link]]:
        """Return each pair's word links: two words are linked if two of their units are (xlm_align, 4.3)."""
        result: list[set[Link]] = [set() for _ in self.source]
        for pair, i, j in zip(*(column.tolist() for column in self.word_edges(links)), strict=True):
            result[pair].add((i, j))
        return [frozenset(found) for found in result]


def padded(rows: Sequence[Sequence[int]], fill: int) -> np.ndarray:
    """Return rows of unequal length as one int64 matrix with at least one column, `fill` where there is nothing."""
    result = np.full((len(rows), max(1, *map(len, rows))), fill, dtype=np.int64)
    for row, values in zip(result, rows, strict=True):
        row[: len(values)] = values
    return result
