"""The linear tagger: each word by itself, from its vector (BERT, section 5.3; Hugging Face's token classification)."""

from __future__ import annotations

import torch
from torch import Tensor, nn

PADDING = -100  # the label of what is no word


class LinearTagger(nn.Module):
    """Dropout, then a linear layer from `dimension` to `labels` scores."""

    def __init__(self, dimension: int, labels: int, dropout: float = 0.1, deviation: float = 0.02):
        super().__init__()
        self.dropout = nn.Dropout(dropout)
        self.scores = nn.Linear(dimension, labels)
        nn.init.normal_(self.scores.weight, std=deviation)
        nn.init.zeros_(self.scores.bias)

    def forward(self, vectors: Tensor) -> Tensor:
        """Return scores (rows, words, labels) of word vectors (rows, words, d)."""
        return self.scores(self.dropout(vectors))

    def loss(self, vectors: Tensor, labels: Tensor) -> Tensor:
        """Return the mean cross entropy of labels (rows, words), PADDING aside."""
        return nn.functional.cross_entropy(
            self(vectors).flatten(0, 1), labels.flatten(), ignore_index=PADDING
        )

    def decode(self, vectors: Tensor, mask: Tensor) -> Tensor:
        """Return the best label of each word, (rows, words).

        `mask` (rows, words) says which are words; a tagger that labels each by itself does not need it.
        """
        return torch.argmax(self(vectors), dim=-1)
