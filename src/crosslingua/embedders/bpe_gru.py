"""`bpe_gru`: a GRU over the subwords of each word by itself, and the maximum over time (laser_taggers, 'BPE GRU')."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from crosslingua.embedders.embedder import WordLayer
from crosslingua.embedders.features import Device, FeatureBatch, Features
from crosslingua.embedders.laser_pieces import LaserEmbedder, LaserPieces, in_sentences, side_by_side
from crosslingua.settings import settings


class PieceGru(WordLayer):
    """Encodes words from the embeddings of their subwords."""

    def __init__(self, features: Features):
        super().__init__()
        _, self.dimension = features.shape
        self.gru = nn.GRU(self.dimension, self.dimension, batch_first=True)

    def forward(self, batch: FeatureBatch) -> Tensor:
        """Return the vectors of the words."""
        padded, real = side_by_side(batch.vectors[:, 0], batch.sizes)
        states, _ = self.gru(padded)  # what follows a word does not reach back into it
        words = states.masked_fill(~real[:, :, None], -torch.inf).amax(dim=1)
        return in_sentences(words, batch.mask)


@settings
class BpeGru(LaserEmbedder):
    """A word's vector is the maximum over time of a GRU that reads LASER's embeddings of its subwords.

    The GRU is trained, and as wide as the embeddings, which are not (the paper states no width).
    """

    layer = PieceGru

    def embed(self, sentences: Sequence[Sequence[str]], language: str, device: Device = "cpu") -> Features:
        """Return the embeddings of each word's subwords."""
        pieces = LaserPieces.read(self.encoder, sentences)
        table, rows = pieces.embeddings()
        return Features.of_words("bpe_gru", language, sentences, table[:, None], rows, report=pieces.report())
