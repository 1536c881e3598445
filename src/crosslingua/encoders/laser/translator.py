"""Encoder and decoder together: the loss that LASER is trained on."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

from crosslingua.encoders.laser.batches import TranslationBatch
from crosslingua.encoders.laser.decoder import LaserDecoder
from crosslingua.encoders.laser.settings import LaserSettings
from crosslingua.laser.encoder import LaserEncoder


class Translator(nn.Module):
    """Translates a sentence through its embedding; which language it is in is not told."""

    def __init__(self, encoder: LaserEncoder, decoder: LaserDecoder):
        super().__init__()
        self.encoder = encoder
        self.decoder = decoder

    def forward(self, batch: TranslationBatch) -> Tensor:
        """Return the sum of the cross-entropies, in nats, of a batch's target subwords."""
        sentences = self.encoder(batch.source, batch.lengths)
        logits = self.decoder(batch.previous, batch.target_lengths, sentences, batch.language)
        return functional.cross_entropy(logits, batch.following, reduction="sum")


def new_translator(
    settings: LaserSettings, vocabulary_size: int, padding: int, languages: int, seed: int
) -> Translator:
    """Return an untrained translator into `languages` languages; equal seeds give equal weights."""
    torch.manual_seed(seed)
    encoder = LaserEncoder(
        vocabulary_size,
        padding,
        settings.embedding_size,
        settings.hidden_size,
        settings.layers,
        settings.dropout,
    )
    decoder = LaserDecoder(
        vocabulary_size,
        padding,
        encoder.size,
        languages,
        settings.decoder_embedding_size,
        settings.language_size,
        settings.decoder_hidden_size,
        settings.decoder_output_size,
    )
    return Translator(encoder, decoder)
