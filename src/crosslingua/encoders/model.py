"""The masked language model: BERT's architecture as RoBERTa uses it, with Hugging Face's weights and results.

A module of its own because pre-training needs less than the library computes: logits of masked positions only, the
last layer at these positions only, and layers up to any one. Everything else agrees with `RobertaForMaskedLM`.
"""

from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from crosslingua.encoders.spans import Spans

Mask = Tensor | Spans | None


class Shape(NamedTuple):
    """What the weights do not tell about themselves, or what they are made from."""

    vocabulary: int
    hidden: int
    layers: int
    heads: int
    feed_forward: int
    positions: int  # rows of the table, offset included
    position_offset: int  # index of the first token's position: 2 for RoBERTa, 0 for BERT
    types: int  # languages, or 1
    dropout: float
    norm_epsilon: float
    pad: int
    pre_norm: bool = False  # whether parts of a layer are normalised before them, not after


class Layer(nn.Module):
    """One layer of the Transformer, normalised after each part (Vaswani et al. 2017) or before (Xiong et al. 2020)."""

    def __init__(self, shape: Shape):
        super().__init__()
        d, f = shape.hidden, shape.feed_forward
        self.heads, self.dropout, self.pre_norm = shape.heads, shape.dropout, shape.pre_norm
        self.query, self.key, self.value = nn.Linear(d, d), nn.Linear(d, d), nn.Linear(d, d)
        self.attention_output, self.attention_norm = nn.Linear(d, d), nn.LayerNorm(d, shape.norm_epsilon)
        self.inner, self.outer = nn.Linear(d, f), nn.Linear(f, d)
        self.output_norm = nn.LayerNorm(d, shape.norm_epsilon)

    def forward(self, x: Tensor, mask: Mask, columns: Tensor | None = None) -> Tensor:
        """Return the layer's output (b, t, d), or that at `columns` (b, m) of each row only (b, m, d).

        `mask` (b, 1, 1, t) is true where there is a token; None if there is one everywhere.
        """
        states = self.attention_norm(x) if self.pre_norm else x
        keys, values = self._split(self.key(states)), self._split(self.value(states))
        if columns is not None:
            x, states = at_columns(x, columns), at_columns(states, columns)
            mask = mask.of_masked() if isinstance(mask, Spans) else mask
        seen = self._attend(self._split(self.query(states)), keys, values, mask).transpose(1, 2).flatten(2)
        x = x + self._drop(self.attention_output(seen))
        if self.pre_norm:
            return x + self._drop(self.outer(F.gelu(self.inner(self.output_norm(x)))))
        x = self.attention_norm(x)
        return self.output_norm(x + self._drop(self.outer(F.gelu(self.inner(x)))))

    def _attend(self, q: Tensor, k: Tensor, v: Tensor, mask: Mask) -> Tensor:
        dropout = self.dropout if self.training else 0.0
        if isinstance(mask, Spans):
            return mask.attend(q, k, v, dropout)
        if q.device.type != "cpu" or not torch.is_autocast_enabled("cpu"):
            return F.scaled_dot_product_attention(q, k, v, mask, dropout)
        scores = (q * q.shape[-1] ** -0.5) @ k.transpose(-1, -2)  # torch's own bf16 kernel is slow on CPUs
        if mask is not None:
            scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
        return F.dropout(scores.softmax(-1), dropout).to(v.dtype) @ v

    def _split(self, x: Tensor) -> Tensor:
        return x.unflatten(-1, (self.heads, -1)).transpose(1, 2)

    def _drop(self, x: Tensor) -> Tensor:
        return F.dropout(x, self.dropout, self.training) if self.dropout else x


def at_columns(x: Tensor, columns: Tensor) -> Tensor:
    """Return the vectors (b, m, d) of x (b, t, d) at the places `columns` (b, m) of each row."""
    return x.gather(1, columns[..., None].expand(-1, -1, x.shape[-1]))


class MaskedLanguageModel(nn.Module):
    """An encoder with a tied language-model head."""

    def __init__(self, shape: Shape):
        super().__init__()
        self.shape = shape
        d = shape.hidden
        self.words = nn.Embedding(shape.vocabulary, d, padding_idx=shape.pad)
        self.positions, self.types = nn.Embedding(shape.positions, d), nn.Embedding(shape.types, d)
        self.embedding_norm = nn.LayerNorm(d, shape.norm_epsilon)
        self.layers = nn.ModuleList(Layer(shape) for _ in range(shape.layers))
        self.final_norm = nn.LayerNorm(d, shape.norm_epsilon) if shape.pre_norm else nn.Identity()
        self.head, self.head_norm = nn.Linear(d, d), nn.LayerNorm(d, shape.norm_epsilon)
        self.head_bias = nn.Parameter(torch.zeros(shape.vocabulary))

    def initialise(self, generator: torch.Generator) -> None:
        """Draw new weights as BERT does: normal with deviation 0.02, biases zero, scales one."""
        with torch.no_grad():
            for module in self.modules():
                if isinstance(module, nn.Linear | nn.Embedding):
                    module.weight.normal_(0, 0.02, generator=generator)
                if isinstance(module, nn.Linear):
                    module.bias.zero_()
            self.words.weight[self.shape.pad].zero_()

    def embed(self, ids: Tensor, languages: Tensor | None, positions: Tensor | None = None) -> Tensor:
        """Return the sum of word, position and type embeddings of ids (b, t), normalised: (b, t, d).

        `positions` (b, t) count from 0; None: each row's are 0, 1, 2, ...
        """
        if positions is None:
            positions = torch.arange(ids.shape[1], device=ids.device)
        places = positions + self.shape.position_offset
        types = self.types.weight[0] if languages is None else self.types(languages)
        x = self.embedding_norm(self.words(ids) + self.positions(places) + types)
        return F.dropout(x, self.shape.dropout, self.training) if self.shape.dropout else x

    def hidden_states(
        self,
        ids: Tensor,
        languages: Tensor | None,
        mask: Mask,
        last: int | None = None,
        positions: Tensor | None = None,
    ) -> list[Tensor]:
        """Return the states (b, t, d) after the embeddings and each layer, up to layer `last`."""
        states = [self.embed(ids, languages, positions)]
        for layer in self.layers[:last]:
            states.append(layer(states[-1], _keys(mask)))
        return states

    def states_at(
        self,
        ids: Tensor,
        languages: Tensor | None,
        mask: Mask,
        columns: Tensor,
        positions: Tensor | None = None,
    ) -> Tensor:
        """Return the last layer's states (b, m, d) at `columns` (b, m), computing nothing else of that layer."""
        x = self.hidden_states(ids, languages, mask, len(self.layers) - 1, positions)[-1]
        return self.layers[-1](x, _keys(mask), columns)

    def logits(self, states: Tensor) -> Tensor:
        """Return the scores of every piece (..., vocabulary) for states (..., d)."""
        x = self.head_norm(F.gelu(self.head(self.final_norm(states))))
        return F.linear(x, self.words.weight, self.head_bias)


def _keys(mask: Mask) -> Mask:
    return mask[:, None, None, :] if isinstance(mask, Tensor) else mask
