"""`lstm_no_pretraining`: LASER-elmo with a new two-layer LSTM in place of LASER's (laser_taggers, 'LSTM No Pretraining').

It reads LASER's subword embeddings, which stay as they are: all that it lacks is the pre-training of the LSTM. (The
paper does not say what the new LSTM reads.)
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import PackedSequence, pack_padded_sequence, pad_packed_sequence

from crosslingua.embedders.layer_mix import LayerMix, max_over_directions
from crosslingua.embedders.pooling import max_over_pieces, padded_by_word

LAYERS = 2  # "sufficiently powerful for sequence tagging tasks"


class PieceLstm(nn.Module):
    """A bidirectional LSTM over the subwords of sentences; layers, directions and words pooled as in LASER-elmo."""

    def __init__(self, dimension: int, hidden: int = 512, layers: int = LAYERS):
        super().__init__()
        sizes = [dimension] + [2 * hidden] * (layers - 1)
        self.layers = nn.ModuleList(
            nn.LSTM(size, hidden, bidirectional=True, batch_first=True) for size in sizes
        )
        self.mix = LayerMix(layers)
        self.dimension = hidden

    def forward(self, pieces: Tensor, sizes: Tensor, words: Tensor) -> Tensor:
        """Return words (words, h) of `pieces` (pieces, d), `sizes` (words,) of each, `words` (sentences,) in each."""
        ends = sizes.cumsum(0)[words.cumsum(0) - 1]
        lengths = ends.diff(prepend=ends.new_zeros(1))
        padded, real = padded_by_word(pieces, lengths)
        packed = pack_padded_sequence(padded, lengths.cpu(), batch_first=True, enforce_sorted=False)
        found = []
        for layer in self.layers:
            packed, _ = layer(packed)
            found.append(max_over_directions(_unpacked(packed, padded.shape[1])[real]))
        return max_over_pieces(self.mix(torch.stack(found, dim=1)), sizes)


def _unpacked(packed: PackedSequence, time: int) -> Tensor:
    return pad_packed_sequence(packed, batch_first=True, total_length=time)[0]
