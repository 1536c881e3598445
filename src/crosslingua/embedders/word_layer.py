"""The trainable half of an embedder: a batch of features becomes word vectors within the tagger."""

from __future__ import annotations

from abc import ABC, abstractmethod

from torch import Tensor, nn

from crosslingua.embedders.features import FeatureBatch, Features
from crosslingua.errors import ConfigError


class WordLayer(nn.Module, ABC):
    """`dimension` is that of the vectors that come out."""

    dimension: int

    @abstractmethod
    def forward(self, batch: FeatureBatch) -> Tensor:
        """Return (batch, words, dimension); what stands where there is no word (`batch.mask`) is not read."""


class OneVector(WordLayer):
    """Words of one piece and one layer each, whose vector is that; nothing to learn."""

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
