"""Average word anchors: a word's vector is the mean over its occurrences in a text (mbert_align, Eq. 6)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import torch
from torch import Tensor


class Anchors:
    """Sums of the vectors (layers, d) of each of `words`, in lower case if `lowercase` is set."""

    def __init__(self, words: Iterable[str], layers: int, dimension: int, lowercase: bool = False):
        self._rows = {word: row for row, word in enumerate(dict.fromkeys(words))}
        self._lowercase = lowercase
        self._sums = torch.zeros(len(self._rows), layers, dimension, dtype=torch.float64)
        self.counts = np.zeros(len(self._rows), dtype=np.int64)

    def add(self, sentences: Sequence[Sequence[str]], vectors: Tensor) -> None:
        """Count the words of some sentences; `vectors` (words, layers, d) are theirs in order."""
        rows = [self._row(word) for sentence in sentences for word in sentence]
        places = [place for place, row in enumerate(rows) if row is not None]
        chosen = torch.tensor([rows[place] for place in places], dtype=torch.int64)
        self._sums.index_add_(0, chosen, vectors[places].double())
        self.counts += np.bincount(chosen.numpy(), minlength=len(self.counts))

    def _row(self, word: str) -> int | None:
        return self._rows.get(word.lower() if self._lowercase else word)

    def __contains__(self, word: str) -> bool:
        row = self._rows.get(word)
        return row is not None and bool(self.counts[row])

    def of(self, words: Sequence[str]) -> np.ndarray:
        """Return the anchors (words, layers, d) of words that occurred."""
        rows = np.array([self._rows[word] for word in words], dtype=np.int64)
        return (
            self._sums[torch.from_numpy(rows)] / torch.from_numpy(self.counts[rows])[:, None, None]
        ).numpy()
