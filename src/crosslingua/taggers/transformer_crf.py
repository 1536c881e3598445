"""A small Transformer encoder and a CRF (laser_taggers, 'Task-specific models'; Vaswani et al. 2017)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from crosslingua.errors import ConfigError
from crosslingua.taggers.crf_head import CrfTagger


@dataclass(frozen=True)
class TransformerSettings:
    """As published: two layers of two heads with 300 dimensions for queries, keys, values and the feed-forward network.

    - `hidden`: dimensions
    - `layers`, `heads`: of attention
    - `dropout`: within the tagger; published for the baselines: 0.15
    - `constrained`: decode legal BIO2 only
    """

    hidden: int = 300
    layers: int = 2
    heads: int = 2
    dropout: float = 0.15
    constrained: bool = False

    def __post_init__(self) -> None:
        if min(self.hidden, self.layers, self.heads) < 1 or self.hidden % (2 * self.heads):
            raise ConfigError(f"{self}: hidden must be a multiple of twice the heads")
        if not 0 <= self.dropout < 1:
            raise ConfigError(f"dropout={self.dropout}: must be 0 to 1")


class TransformerCrf(CrfTagger):
    """A projection to `hidden`, sinusoidal positions, Transformer layers, a linear layer to scores, a CRF."""

    Settings = TransformerSettings

    def __init__(self, settings: TransformerSettings, dimension: int, labels: Sequence[str]):
        super().__init__(settings, labels)
        size = settings.hidden
        self.projection = nn.Linear(dimension, size)
        self.dropout = nn.Dropout(settings.dropout)
        self.layers = nn.ModuleList(
            nn.TransformerEncoderLayer(size, settings.heads, size, settings.dropout, batch_first=True)
            for _ in range(settings.layers)
        )
        self.scores = nn.Linear(size, len(labels))

    def emissions(self, vectors: Tensor, mask: Tensor) -> Tensor:
        """Return scores of labels; padding is not attended to."""
        hidden = self.projection(vectors)
        hidden = self.dropout(hidden + positions(hidden.shape[1], hidden.shape[2]).to(hidden))
        for layer in self.layers:
            hidden = layer(hidden, src_key_padding_mask=~mask)
        return self.scores(hidden)


def positions(length: int, dimension: int) -> Tensor:
    """Return sinusoidal encodings (length, dimension) of positions (Vaswani et al. 2017, section 3.5)."""
    rates = torch.exp(torch.arange(0, dimension, 2) * (-math.log(10000.0) / dimension))
    angles = torch.arange(length)[:, None] * rates
    return torch.stack([angles.sin(), angles.cos()], dim=2).flatten(1)
