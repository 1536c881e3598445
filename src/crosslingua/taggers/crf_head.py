"""What taggers that end in a CRF have in common: a network that scores each word's labels, and the CRF on top."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

from torch import Tensor

from crosslingua.taggers.crf import CRF, Legal
from crosslingua.taggers.tagger import PADDING, Tagger


class CrfTagger(Tagger):
    """Subclasses score words in `emissions`; the setting `constrained` decodes legal BIO2 only."""

    def __init__(self, settings: Any, labels: Sequence[str]):
        super().__init__()
        self.crf = CRF(len(labels))
        self.legal = Legal(labels) if settings.constrained else None

    @abstractmethod
    def emissions(self, vectors: Tensor, mask: Tensor) -> Tensor:
        """Return scores (rows, words, labels) of word vectors (rows, words, d)."""

    def loss(self, vectors: Tensor, labels: Tensor) -> Tensor:
        """Return the mean over sentences of the negative log-likelihood of their labels."""
        mask = labels != PADDING
        return -self.crf.log_likelihood(self.emissions(vectors, mask), labels, mask).mean()

    def decode(self, vectors: Tensor, mask: Tensor) -> Tensor:
        """Return the most probable labels of each sentence."""
        return self.crf.viterbi(self.emissions(vectors, mask), mask, self.legal)
