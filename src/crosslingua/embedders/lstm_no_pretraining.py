"""`lstm_no_pretraining`: laser_elmo with a new, two-layer LSTM for LASER's (laser_taggers, 'LSTM No Pretraining')."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from crosslingua.embedders.embedder import WordLayer
from crosslingua.embedders.features import Device, FeatureBatch, Features
from crosslingua.embedders.laser_pieces import (
    LaserEmbedder,
    LaserPieces,
    LayerMix,
    in_sentences,
    max_over_directions,
    max_over_pieces,
    side_by_side,
)
from crosslingua.nn.bilstm import BiLstm, reversal
from crosslingua.settings import settings

LAYERS = 2  # "sufficiently powerful for sequence tagging tasks"


class PieceLstm(WordLayer):
    """A bidirectional LSTM over the subwords of sentences; layers, directions and pieces pooled as in laser_elmo."""

    def __init__(self, features: Features, layers: int = LAYERS):
        super().__init__()
        self.dimension = features.report["hidden"]
        sizes = [features.shape[1]] + [2 * self.dimension] * (layers - 1)
        self.layers = nn.ModuleList(BiLstm(size, self.dimension) for size in sizes)
        self.mix = LayerMix(layers)

    def forward(self, batch: FeatureBatch) -> Tensor:
        """Return the vectors of the words."""
        lengths = (batch.sizes[batch.places] * batch.mask).sum(dim=1)
        padded, real = side_by_side(batch.vectors[:, 0], lengths)
        reverse, states, found = reversal(real), padded.transpose(0, 1), []
        for layer in self.layers:
            states = layer(states, reverse)
            found.append(max_over_directions(states.transpose(0, 1)[real]))
        words = max_over_pieces(self.mix(torch.stack(found, dim=1)), batch.sizes)
        return in_sentences(words, batch.mask)


@settings
class LstmNoPretraining(LaserEmbedder):
    """As laser_elmo, of a bidirectional LSTM that begins at random and is learnt with the tagger.

    The new LSTM reads LASER's subword embeddings, which are not tuned, and is as wide as LASER's LSTM. Only the
    pre-training of the LSTM is missing. (The paper does not say what the new LSTM reads.)
    """

    layer = PieceLstm

    def embed(self, sentences: Sequence[Sequence[str]], language: str, device: Device = "cpu") -> Features:
        """Return the embeddings of each word's subwords."""
        pieces = LaserPieces.read(self.encoder, sentences)
        table, rows = pieces.embeddings()
        report = pieces.report() | {"hidden": pieces.laser.encoder.size // 2}
        return Features.of_words(
            "lstm_no_pretraining", language, sentences, table[:, None], rows, report=report
        )
