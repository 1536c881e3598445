"""A small Transformer encoder and a CRF (laser_taggers, 'Task-specific models'; Vaswani et al. 2017)."""

import math
from collections.abc import Sequence
from functools import lru_cache

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from crosslingua.taggers.crf import CrfTagger
from crosslingua.taggers.settings import TransformerSettings


class TaggerLayer(nn.TransformerEncoderLayer):
    """torch's layer, with the same weights and results, but without its many checks, which slow small batches."""

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """Return the layer's output (rows, words, d); `mask` (rows, 1, 1, words) is added to attention scores."""
        x = self.norm1(x + self.dropout1(self._attended(x, mask)))
        inner = self.dropout(F.relu(self.linear1(x)))
        return self.norm2(x + self.dropout2(self.linear2(inner)))

    def _attended(self, x: Tensor, mask: Tensor) -> Tensor:
        own, x = self.self_attn, x.transpose(0, 1)  # words before rows, as torch has it: dropout is the same
        every = F.linear(x, own.in_proj_weight, own.in_proj_bias).unflatten(-1, (3, own.num_heads, -1))
        query, key, value = every.permute(2, 1, 3, 0, 4).unbind()
        dropout = own.dropout if self.training else 0.0
        seen = F.scaled_dot_product_attention(query, key, value, mask, dropout)
        return own.out_proj(seen.permute(2, 0, 1, 3).flatten(2)).transpose(0, 1)


class TransformerCrf(CrfTagger):
    """A projection to `hidden`, sinusoidal positions, Transformer layers, a linear layer to scores, a CRF."""

    Settings = TransformerSettings

    def __init__(self, settings: TransformerSettings, dimension: int, labels: Sequence[str]):
        super().__init__(settings, labels)
        size = settings.hidden
        self.projection = nn.Linear(dimension, size)
        self.dropout = nn.Dropout(settings.dropout)
        self.layers = nn.ModuleList(
            TaggerLayer(size, settings.heads, size, settings.dropout, batch_first=True)
            for _ in range(settings.layers)
        )
        self.scores = nn.Linear(size, len(labels))

    def emissions(self, vectors: Tensor, mask: Tensor) -> Tensor:
        """Return scores of labels; padding is not attended to."""
        hidden = self.projection(vectors)
        hidden = self.dropout(hidden + positions(hidden.shape[1], hidden.shape[2]).to(hidden))
        unseen = torch.zeros_like(mask, dtype=hidden.dtype).masked_fill_(~mask, -torch.inf)[:, None, None]
        for layer in self.layers:
            hidden = layer(hidden, unseen)
        return self.scores(hidden)


@lru_cache(maxsize=256)
def positions(length: int, dimension: int) -> Tensor:
    """Return sinusoidal encodings (length, dimension) of positions (Vaswani et al. 2017, section 3.5)."""
    rates = torch.exp(torch.arange(0, dimension, 2) * (-math.log(10000.0) / dimension))
    angles = torch.arange(length)[:, None] * rates
    return torch.stack([angles.sin(), angles.cos()], dim=2).flatten(1)
