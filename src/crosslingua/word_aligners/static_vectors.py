"""Static cross-lingual word vectors as what is aligned: a unit is a word that has a vector."""

import logging
from collections import Counter
from collections.abc import Sequence

import torch
from torch import Tensor

from crosslingua.errors import ConfigError
from crosslingua.io.vectors import WordVectors
from crosslingua.word_aligners.encoding import Pair, UnitPair, Units, padded

log = logging.getLogger(__name__)


class StaticEmbedding:
    """Vectors of source and target words in one space; words without one are counted (`missing`) and unlinked."""

    def __init__(self, source: WordVectors, target: WordVectors):
        if source.dimension != target.dimension:
            raise ConfigError(
                f"source vectors have {source.dimension} dimensions and target vectors {target.dimension}: "
                "they must be of one space (scripts/align_vectors.py)"
            )
        self._matrices = [torch.from_numpy(side.matrix) for side in (source, target)]
        self._rows = [{w: row for w, row in v.index.items() if v.matrix[row].any()} for v in (source, target)]
        self.seen: Counter[str] = Counter()
        self.missing: Counter[str] = Counter()

    def units(self, pair: Pair) -> UnitPair:
        """Find the rows of the words that have vectors."""
        return UnitPair(*(self._side(side, words) for side, words in enumerate(pair)))

    def _side(self, side: int, sentence: list[str]) -> Units:
        rows = self._rows[side]
        known = [(rows[word], number) for number, word in enumerate(sentence) if word in rows]
        name = ("source", "target")[side]
        self.seen[name] += len(sentence)
        self.missing[name] += len(sentence) - len(known)
        return Units([row for row, _ in known], [number for _, number in known])

    def vectors(self, pairs: Sequence[UnitPair], joint: bool) -> list[tuple[Tensor, Tensor]]:
        """Look vectors up; there is one layer, and nothing to encode jointly."""
        rows = [torch.from_numpy(padded([pair[side].ids for pair in pairs], 0)) for side in (0, 1)]
        return [tuple(matrix[own] for matrix, own in zip(self._matrices, rows, strict=True))]

    def report(self) -> None:
        """Log how many words had no vector."""
        for side in +self.missing:
            share = 100 * self.missing[side] / self.seen[side]
            log.info("%s: %d of %d words (%.1f%%) have no vector and stay unlinked", side, self.missing[side],
                     self.seen[side], share)  # fmt: skip
