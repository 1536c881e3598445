"""The linear tagger: each word alone, from its vector (BERT, section 5.3; Hugging Face's token classification)."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from crosslingua.taggers.settings import LinearSettings
from crosslingua.taggers.tagger import PADDING, Tagger


class Linear(Tagger):
    """Dropout, then a linear layer from `dimension` to the scores of labels."""

    Settings = LinearSettings

    def __init__(self, settings: LinearSettings, dimension: int, labels: Sequence[str]):
        super().__init__()
        self.dropout = nn.Dropout(settings.dropout)
        self.scores = nn.Linear(dimension, len(labels))
        nn.init.normal_(self.scores.weight, std=settings.deviation)
        nn.init.zeros_(self.scores.bias)

    def forward(self, vectors: Tensor) -> Tensor:
        """Return scores (rows, words, labels) of word vectors (rows, words, d)."""
        return self.scores(self.dropout(vectors))

    def loss(self, vectors: Tensor, labels: Tensor) -> Tensor:
        """Return the mean cross entropy of labels (rows, words), without PADDING."""
        scores = self(vectors).flatten(0, 1)
        return nn.functional.cross_entropy(scores, labels.flatten(), ignore_index=PADDING)

    def decode(self, vectors: Tensor, mask: Tensor) -> Tensor:
        """Return the best label of each word, (rows, words), independently of other words."""
        return torch.argmax(self(vectors), dim=-1)
