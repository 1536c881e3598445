"""ALIGN-MLM (align_mlm, section 3): translations are drawn together in the embedding matrix itself."""

import torch
import torch.nn.functional as F
from torch import Tensor

from crosslingua.encoders.objectives.objective import Encoded, Objective, Setup
from crosslingua.encoders.objectives.settings import AlignMLMSettings


def alignment_loss(embeddings: Tensor, pairs: Tensor) -> Tensor:
    """Return L_ALIGN, minus the mean cosine of the rows of `embeddings` (vocabulary, d) that `pairs` (k, 2) name."""
    first, second = F.embedding(pairs, embeddings).float().unbind(1)
    return -F.cosine_similarity(first, second).mean()


class AlignMLM(Objective):
    """L_MLM + alpha · L_ALIGN, over the whole dictionary in every step; no language ids (App. G.5)."""

    settings: AlignMLMSettings

    def __init__(self, setup: Setup):
        super().__init__(setup)
        self.register_buffer("pairs", torch.from_numpy(setup.dictionary), persistent=False)

    def forward(self, encoded: Encoded) -> Tensor:
        """Return the share of the sum of both."""
        alignment = alignment_loss(encoded.model.words.weight, self.pairs)
        return encoded.prediction_loss + self.settings.align_alpha * alignment / encoded.batch.parts
