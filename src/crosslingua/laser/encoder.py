"""The encoder of LASER: subword embeddings, a stack of BiLSTMs, the maximum over time."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import PackedSequence, pack_padded_sequence, pad_packed_sequence

from crosslingua.laser.initialisation import uniform_


class LaserEncoder(nn.Module):
    """Embeds sentences, of any language, given as ids of subwords that end in `</s>` (section 3, figure 1).

    The layers are separate modules, so that the output of each can be had; `dropout` is applied to the
    output of every layer in training.
    """

    def __init__(
        self,
        vocabulary_size: int,
        padding: int,
        embedding_size: int = 320,
        hidden_size: int = 512,
        layers: int = 5,
        dropout: float = 0.0,
    ):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary_size, embedding_size, padding_idx=padding)
        sizes = [embedding_size] + [2 * hidden_size] * (layers - 1)
        self.layers = nn.ModuleList(
            nn.LSTM(size, hidden_size, bidirectional=True, batch_first=True) for size in sizes
        )
        self.dropout = nn.Dropout(dropout)
        uniform_(self)

    @property
    def configuration(self) -> dict[str, int]:
        """The arguments that make an encoder of the same shape."""
        return {
            "vocabulary_size": self.embedding.num_embeddings,
            "padding": self.embedding.padding_idx,
            "embedding_size": self.embedding.embedding_dim,
            "hidden_size": self.layers[0].hidden_size,
            "layers": len(self.layers),
        }

    @property
    def size(self) -> int:
        """Dimensions of a sentence embedding: the forward states, then the backward ones."""
        return 2 * self.layers[0].hidden_size

    def forward(self, ids: Tensor, lengths: Tensor) -> Tensor:
        """Return the sentence embeddings (batch, size): the last layer's maximum over time.

        `ids` (batch, time) is padded on the right; `lengths` (batch,) counts the ids of each sentence and
        lies on the CPU.
        """
        return max_over_time(self.layer_outputs(ids, lengths)[-1], lengths)

    def layer_outputs(self, ids: Tensor, lengths: Tensor) -> list[Tensor]:
        """Return the output (batch, time, size) of each layer, first to last; zero on padding.

        A position holds the forward state in its first half and the backward state in its second. Padding is
        never read: sentences run packed, and equal those that run alone.
        """
        packed = pack_padded_sequence(ids, lengths, batch_first=True, enforce_sorted=False)
        states = packed._replace(data=self.embedding(packed.data))
        outputs = []
        for layer in self.layers:
            states, _ = layer(states)
            states = states._replace(data=self.dropout(states.data))
            outputs.append(_padded(states, ids.shape[1]))
        return outputs


def _padded(states: PackedSequence, time: int) -> Tensor:
    return pad_packed_sequence(states, batch_first=True, total_length=time)[0]


def max_over_time(states: Tensor, lengths: Tensor) -> Tensor:
    """Return the maximum (batch, size) of `states` (batch, time, size) over the first `lengths` positions."""
    padding = ~real_positions(lengths, states.shape[1])
    return states.masked_fill(padding[:, :, None].to(states.device), float("-inf")).amax(dim=1)


def real_positions(lengths: Tensor, time: int) -> Tensor:
    """Return which of `time` positions are no padding, (batch, time) bool."""
    return torch.arange(time, device=lengths.device)[None] < lengths[:, None]
