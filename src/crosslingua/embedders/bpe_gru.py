"""`bpe_gru`: a GRU over the subwords of each word by itself, and the maximum over time (laser_taggers, 'BPE GRU')."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from crosslingua.embedders.pooling import padded_by_word


class PieceGru(nn.Module):
    """Encodes words from the embeddings of their subwords; the GRU is as wide as these (the paper tells no width)."""

    def __init__(self, dimension: int):
        super().__init__()
        self.gru = nn.GRU(dimension, dimension, batch_first=True)
        self.dimension = dimension

    def forward(self, pieces: Tensor, sizes: Tensor) -> Tensor:
        """Return words (words, d) of their `pieces` (pieces, d), `sizes` (words,) of each."""
        padded, real = padded_by_word(pieces, sizes)
        states, _ = self.gru(padded)  # what follows a word does not reach back into it
        return states.masked_fill(~real[:, :, None], -torch.inf).amax(dim=1)
