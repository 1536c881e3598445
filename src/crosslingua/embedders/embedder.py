"""The base of embedders, whose fields are settings, and of their trainable halves."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import ClassVar, Self

import torch.nn.functional as F
from torch import Tensor, nn

from crosslingua.embedders.features import Device, FeatureBatch, Features
from crosslingua.errors import ConfigError
from crosslingua.settings import read, settings


class WordLayer(nn.Module, ABC):
    """The trainable half of an embedder, from features to word vectors of `dimension`."""

    dimension: int

    @abstractmethod
    def forward(self, batch: FeatureBatch) -> Tensor:
        """Return (batch, words, dimension); values at padding (`batch.mask`) are not read."""


class OneVector(WordLayer):
    """Words with one piece and one layer each, whose vector is the piece's; no parameters."""

    def __init__(self, features: Features):
        super().__init__()
        layers, self.dimension = features.shape
        if layers != 1 or (features.pieces.lengths != 1).any():
            raise ConfigError(
                f"features of {features.embedder}: several layers or pieces a word, where one is read"
            )

    def forward(self, batch: FeatureBatch) -> Tensor:
        """Return the vectors of the words."""
        return batch.vectors[:, 0][batch.places]


class TunedVectors(OneVector):
    """The same with one trained table for all sets. The zero vector of words without a vector is not trained."""

    def __init__(self, features: Features):
        super().__init__(features)
        self.table = nn.Parameter(features.table[:, 0].float())
        zeros = (self.table == 0).all(dim=1).nonzero()
        self._unknown = int(zeros[0]) if len(zeros) else None  # gets no gradient

    def forward(self, batch: FeatureBatch) -> Tensor:
        """Return the vectors of the words, as they are now."""
        return F.embedding(batch.rows, self.table, self._unknown)[batch.places]


@settings
class Embedder(ABC):
    """Makes features of sentences; a member's docstring says what its settings are."""

    layer: ClassVar[type[WordLayer]] = OneVector  # the trainable half, made of features

    @classmethod
    def of(cls, options: Iterable[str]) -> Self:
        """Return the embedder with settings `name=value`. Raises ConfigError for an unknown or ill-typed one."""
        return read(cls, f"embedder {cls.__name__}", options)

    @abstractmethod
    def embed(self, sentences: Sequence[Sequence[str]], language: str, device: Device = "cpu") -> Features:
        """Return the features, on the CPU, of sentences of at least one word each. An encoder reads on `device`; what
        only looks words up does not use it. Raises InputError where an input is missing or damaged, ConfigError for an
        unknown language.
        """
