"""What the embedders on LASER have in common: its subwords with their embeddings, and hidden states of its layers."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from typing import ClassVar

import numpy as np
import torch
from torch import Tensor

from crosslingua.embedders.embedder import Embedder
from crosslingua.embedders.features import FeatureBatch, Features
from crosslingua.embedders.layer_mix import LayerMix, max_over_directions
from crosslingua.embedders.pooling import in_sentences, max_over_pieces
from crosslingua.embedders.word_layer import WordLayer
from crosslingua.laser.folder import load_laser
from crosslingua.laser.laser import NO_WORD, Laser, Readings, by_length
from crosslingua.ragged import Ragged, offsets_of

LOADED = cache(load_laser)  # one LASER for all data sets that a process embeds


@dataclass(frozen=True)
class LaserPieces:
    """Sentences as LASER's subwords, without `</s>`; a word has at least one."""

    laser: Laser
    readings: Readings

    @classmethod
    def of(cls, laser: Laser, sentences: Sequence[Sequence[str]]) -> LaserPieces:
        """Split sentences of words."""
        return cls(laser, laser.read(sentences))

    @classmethod
    def read(cls, folder: str, sentences: Sequence[Sequence[str]]) -> LaserPieces:
        """Split sentences of words by the LASER of a folder, once for embedders that follow each other."""
        return _pieces(LOADED(folder), tuple(map(tuple, sentences)))

    @property
    def _real(self) -> np.ndarray:
        """Which subwords are a word's."""
        return self.readings.words.values != NO_WORD

    @property
    def ids(self) -> np.ndarray:
        """The subwords (pieces,) of all sentences."""
        return self.readings.ids.values[self._real]

    @property
    def sizes(self) -> np.ndarray:
        """Pieces (words,) of each word of all sentences."""
        words, real = self.readings.words, self._real
        sentences = np.repeat(np.arange(len(words)), words.lengths)[real]
        changes = np.diff(words.values[real], prepend=-1) | np.diff(sentences, prepend=-1)
        return np.diff(np.append(np.flatnonzero(changes), len(sentences)))

    def report(self) -> dict[str, int]:
        """Return counts of words and of their pieces."""
        return {"words": len(self.sizes), "pieces": len(self.ids)}

    def embeddings(self) -> tuple[Tensor, Ragged]:
        """Return the embeddings (subwords, d) of the subwords that occur, and of each word the rows of its own."""
        occurring, rows = np.unique(self.ids, return_inverse=True)
        table = self.laser.encoder.embedding.weight.detach().cpu()[torch.from_numpy(occurring)]
        return table, Ragged(rows, offsets_of(self.sizes))

    @cached_property
    def states(self) -> Tensor:
        """The states of all layers, from the first: `read_states`, computed once."""
        return self.read_states()

    def read_states(self, batch_subwords: int = 12_000) -> Tensor:
        """Return the maximum over directions of hidden states (pieces, layers, h) of all layers.

        A sentence is read as LASER was trained to, with `</s>` behind it (equation 2, without γ), `batch_subwords` of
        all of them at a time, padding included.
        """
        encoder, readings = self.laser.encoder, self.readings
        found = torch.empty(len(readings.ids.values), len(encoder.layers), encoder.size // 2)
        with torch.inference_mode():
            for rows in by_length(readings.ids.lengths, batch_subwords):
                batch = self.laser.batch(readings, rows)
                outputs = encoder.layer_outputs(batch.ids, batch.lengths)
                states = torch.stack([max_over_directions(output) for output in outputs], dim=2)
                places, mask = map(torch.from_numpy, readings.ids.places(rows))
                found[places[mask]] = states[mask]
        return found[torch.from_numpy(self._real)]


@lru_cache(maxsize=1)
def _pieces(laser: Laser, sentences: tuple[tuple[str, ...], ...]) -> LaserPieces:
    return LaserPieces.of(laser, sentences)


@dataclass(frozen=True)
class LaserStates(Embedder):
    """Hidden states of layers of LASER, a row a piece; what puts them together is learnt with the tagger.

    - `encoder`: LASER's folder
    """

    encoder: str
    member: ClassVar[str]  # its name in the registry

    @abstractmethod
    def layers(self, total: int) -> Sequence[int]:
        """Return the numbers, from 0, of the layers of `total` that are read."""

    def embed(self, sentences: Sequence[Sequence[str]], language: str) -> Features:
        """Return the states of each word's pieces."""
        pieces = LaserPieces.read(self.encoder, sentences)
        states = pieces.states[:, list(self.layers(pieces.states.shape[1]))]
        rows = Ragged(np.arange(len(states)), offsets_of(pieces.sizes))
        return Features.of_words(self.member, language, sentences, states, rows, report=pieces.report())

    @classmethod
    def layer(cls, features: Features) -> MixedPieces:
        """Return weights of layers, γ, and the maximum over a word's pieces."""
        return MixedPieces(features)


class MixedPieces(WordLayer):
    """Layers of each piece mixed (equation 3; of one layer equation 2), then the maximum over a word's pieces."""

    def __init__(self, features: Features):
        super().__init__()
        layers, self.dimension = features.shape
        self.mix = LayerMix(layers)

    def forward(self, batch: FeatureBatch) -> Tensor:
        """Return the vectors of the words."""
        words = max_over_pieces(self.mix(batch.vectors), batch.sizes)
        return in_sentences(words, batch.mask)
