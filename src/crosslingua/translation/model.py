"""The translation model: one encoder and one decoder for both languages, with as many layers shared as asked."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from crosslingua.errors import ConfigError
from crosslingua.translation.layers import DecoderLayer, EncoderLayer, sinusoids
from crosslingua.translation.settings import TranslationSettings
from crosslingua.translation.vocabulary import PAD, Vocabulary

LONGEST = 512  # places


class Group(NamedTuple):
    """Rows `start` to `stop` of a batch, which are of one language."""

    language: int
    start: int
    stop: int


Groups = Sequence[Group]


class Stack(nn.Module):
    """Layers, each of both languages, or one for either."""

    def __init__(self, layers: Sequence[Sequence[nn.Module]]):
        super().__init__()
        self.layers = nn.ModuleList(nn.ModuleList(members) for members in layers)

    def forward(self, states: Tensor, groups: Groups, *rest: Tensor) -> Tensor:
        """Run whole sentences (batch, time, width) through every layer."""
        for members in self.layers:
            if len(members) == 1:
                states = members[0](states, *rest)
            else:
                states = torch.cat([
                    members[g.language](states[g.start : g.stop], *(x[g.start : g.stop] for x in rest))
                    for g in groups
                ])  # fmt: skip
        return states


class TranslationModel(nn.Module):
    """Encoder, decoder, and one table of word vectors that is their input and the output's weights.

    The table is shared as published: between encoder and decoder, with the output layer, and between languages as far
    as these share words. A language says its own and shared words only; what begins a sentence tells the decoder which.
    """

    def __init__(self, settings: TranslationSettings, vocabulary: Vocabulary, table: np.ndarray):
        super().__init__()
        self.settings, self.vocabulary = settings, vocabulary
        dimension = table.shape[1]
        self.width = settings.width or dimension
        if self.width % settings.heads:
            raise ConfigError(f"heads={settings.heads}: must divide the width, {self.width}")
        self.table = nn.Parameter(torch.from_numpy(table.astype(np.float32)))
        mapped = self.width != dimension
        self.into = nn.Linear(dimension, self.width, bias=False) if mapped else nn.Identity()
        self.back = nn.Linear(self.width, dimension, bias=False) if mapped else nn.Identity()
        shape = (self.width, settings.heads, settings.feed_forward, settings.dropout, settings.norm_first)
        own = settings.layers - settings.shared_layers
        copies = [2] * own + [1] * settings.shared_layers
        self.encoder = Stack([[EncoderLayer(*shape) for _ in range(n)] for n in copies])
        self.decoder = Stack([[DecoderLayer(*shape) for _ in range(n)] for n in reversed(copies)])
        ends = [nn.LayerNorm(self.width) if settings.norm_first else nn.Identity() for _ in range(2)]
        self.encoder_end, self.decoder_end = ends
        self.register_buffer("places", sinusoids(LONGEST, self.width), persistent=False)
        self._initialise()

    def _initialise(self) -> None:
        for module in self.modules():
            if isinstance(module, nn.Linear):
                nn.init.xavier_uniform_(module.weight)
                if module.bias is not None:
                    nn.init.zeros_(module.bias)

    def embed(self, ids: Tensor, first: int = 0) -> Tensor:
        """Return inputs (batch, time, width) of word rows (batch, time) that stand at place `first` and after."""
        vectors = F.embedding(ids, self.table) * math.sqrt(self.table.shape[1])
        states = self.into(vectors) + self.places[first : first + ids.shape[1]]
        return F.dropout(states, self.settings.dropout, self.training)

    def encode(self, ids: Tensor, groups: Groups) -> tuple[Tensor, Tensor]:
        """Return states (batch, time, width) of sentences (batch, time), and their mask (batch, 1, 1, time)."""
        mask = (ids != PAD)[:, None, None, :]
        return self.encoder_end(self.encoder(self.embed(ids), groups, mask)), mask

    def decode(self, ids: Tensor, encoded: Tensor, mask: Tensor, groups: Groups) -> Tensor:
        """Return vectors (batch, time, d) that the words after `ids` (batch, time) are compared with."""
        states = self.decoder(self.embed(ids), groups, encoded, mask)
        return self.back(self.decoder_end(states))

    def scores(self, vectors: Tensor, language: int) -> Tensor:
        """Return the scores of all that a language can say: vectors (..., d) -> (..., rows of its outputs)."""
        return vectors @ self.table[self.vocabulary.outputs(language)].T
