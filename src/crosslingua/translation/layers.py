"""Transformer layers (Vaswani et al. 2017) that run on whole sentences, or word by word with a cache."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.nn import functional as F

Sublayer = Callable[[Tensor], Tensor]


class Attention(nn.Module):
    """Multi-head attention of `width` dimensions."""

    def __init__(self, width: int, heads: int, dropout: float):
        super().__init__()
        self.heads, self.dropout = heads, dropout
        self.query, self.memory = nn.Linear(width, width), nn.Linear(width, 2 * width)
        self.out = nn.Linear(width, width)

    def _split(self, states: Tensor) -> Tensor:
        """(batch, time, width) -> (batch, heads, time, width / heads)."""
        batch, time, width = states.shape
        return states.view(batch, time, self.heads, width // self.heads).transpose(1, 2)

    def remember(self, states: Tensor) -> tuple[Tensor, Tensor]:
        """Return the keys and values (batch, heads, time, width / heads) of states (batch, time, width)."""
        keys, values = self.memory(states).chunk(2, dim=-1)
        return self._split(keys), self._split(values)

    def forward(
        self, states: Tensor, memory: tuple[Tensor, Tensor], mask: Tensor | None = None, causal: bool = False
    ) -> Tensor:
        """Attend from states (batch, time, width); `mask` is true where a key may be seen."""
        dropout = self.dropout if self.training else 0.0
        found = F.scaled_dot_product_attention(
            self._split(self.query(states)), *memory, attn_mask=mask, dropout_p=dropout, is_causal=causal
        )
        return self.out(found.transpose(1, 2).reshape(states.shape))


class TransformerLayer(nn.Module):
    """What encoder and decoder layers have in common: sublayers with residuals, normalised after or before."""

    def __init__(self, width: int, feed_forward: int, dropout: float, sublayers: int, norm_first: bool):
        super().__init__()
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(sublayers))
        self.inner, self.outer = nn.Linear(width, feed_forward), nn.Linear(feed_forward, width)
        self._dropout, self._norm_first = dropout, norm_first

    def _residual(self, number: int, states: Tensor, sublayer: Sublayer) -> Tensor:
        norm = self.norms[number]
        if self._norm_first:
            return states + F.dropout(sublayer(norm(states)), self._dropout, self.training)
        return norm(states + F.dropout(sublayer(states), self._dropout, self.training))

    def _feed_forward(self, states: Tensor) -> Tensor:
        return self.outer(F.relu(self.inner(states)))


class EncoderLayer(TransformerLayer):
    """Self-attention, then a feed-forward network."""

    def __init__(self, width: int, heads: int, feed_forward: int, dropout: float, norm_first: bool):
        super().__init__(width, feed_forward, dropout, 2, norm_first)
        self.attention = Attention(width, heads, dropout)

    def forward(self, states: Tensor, mask: Tensor) -> Tensor:
        """Return new states (batch, time, width); `mask` (batch, 1, 1, time) is true at words."""
        states = self._residual(0, states, lambda x: self.attention(x, self.attention.remember(x), mask))
        return self._residual(1, states, self._feed_forward)


class DecoderLayer(TransformerLayer):
    """Self-attention to what came before, attention to the encoder, then a feed-forward network."""

    def __init__(self, width: int, heads: int, feed_forward: int, dropout: float, norm_first: bool):
        super().__init__(width, feed_forward, dropout, 3, norm_first)
        self.attention = Attention(width, heads, dropout)
        self.cross = Attention(width, heads, dropout)

    def forward(self, states: Tensor, encoded: Tensor, mask: Tensor) -> Tensor:
        """Return new states of whole sentences (batch, time, width); `mask` as of `EncoderLayer`, of the source."""
        states = self._residual(
            0, states, lambda x: self.attention(x, self.attention.remember(x), causal=True)
        )
        memory = self.cross.remember(encoded)
        states = self._residual(1, states, lambda x: self.cross(x, memory, mask))
        return self._residual(2, states, self._feed_forward)

    def step(self, states: Tensor, past: tuple[Tensor, Tensor], source: tuple, at: int) -> Tensor:
        """Return new states (batch, beams, width) of the words at place `at`, and write their keys into `past`.

        `past` holds keys and values (batch x beams, heads, places, width / heads) of this layer; `source` the keys,
        values and mask of the encoder's states, which the beams of a sentence share.
        """
        keys, values, mask = source
        states = self._residual(0, states, lambda x: self._attend_back(x, past, at))
        states = self._residual(1, states, lambda x: self.cross(x, (keys, values), mask))
        return self._residual(2, states, self._feed_forward)

    def _attend_back(self, states: Tensor, past: tuple[Tensor, Tensor], at: int) -> Tensor:
        rows = states.reshape(-1, 1, states.shape[-1])
        for store, new in zip(past, self.attention.remember(rows), strict=True):
            store[:, :, at : at + 1] = new
        seen = tuple(store[:, :, : at + 1] for store in past)
        return self.attention(rows, seen).view(states.shape)


def sinusoids(length: int, width: int) -> Tensor:
    """Return position encodings (length, width): sines in the first half of the dimensions, cosines in the second."""
    half = width // 2
    rates = torch.exp(torch.arange(half) * -(torch.log(torch.tensor(10000.0)) / max(1, half - 1)))
    angles = torch.arange(length)[:, None] * rates
    found = torch.cat([angles.sin(), angles.cos()], 1)
    return F.pad(found, (0, width - found.shape[1]))
