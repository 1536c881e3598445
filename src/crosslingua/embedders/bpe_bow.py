"""`bpe_bow`: the mean of the embeddings of a word's subwords (laser_taggers, 'BPE BOW')."""

from collections.abc import Sequence

import numpy as np
import torch

from crosslingua.embedders.features import Device, Features
from crosslingua.embedders.laser_pieces import LaserEmbedder, LaserPieces, mean_over_pieces
from crosslingua.settings import settings


@settings
class BpeBow(LaserEmbedder):
    """A word's vector is the mean of LASER's embeddings of its subwords; nothing is learnt."""

    def embed(self, sentences: Sequence[Sequence[str]], language: str, device: Device = "cpu") -> Features:
        """Return one vector a word."""
        pieces = LaserPieces.read(self.encoder, sentences)
        table, rows = pieces.embeddings()
        means = mean_over_pieces(table[torch.from_numpy(rows.values)], torch.from_numpy(rows.lengths))
        table, numbers = means[:, None], np.arange(len(means))
        return Features.of_words("bpe_bow", language, sentences, table, numbers, report=pieces.report())
