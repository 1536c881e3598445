"""LASER's subwords, for the embedders that read it: their embeddings, and hidden states of its layers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch

from crosslingua.embedders.layer_mix import max_over_directions
from crosslingua.encoders.laser.laser import NO_WORD, Laser, Readings, by_length


@dataclass(frozen=True)
class LaserPieces:
    """Sentences as LASER's subwords, without `</s>`; a word has at least one."""

    laser: Laser
    readings: Readings

    @classmethod
    def of(cls, laser: Laser, sentences: Sequence[Sequence[str]]) -> LaserPieces:
        """Split sentences of words."""
        return cls(laser, laser.read(sentences))

    @property
    def sizes(self) -> np.ndarray:
        """Pieces (words,) of each word of all sentences."""
        numbers = self.readings.words.values
        sentences = np.repeat(np.arange(len(self.readings.words)), self.readings.words.lengths)
        real = numbers != NO_WORD
        starts = np.flatnonzero(np.diff(numbers[real], prepend=-1) | np.diff(sentences[real], prepend=-1))
        return np.diff(np.append(starts, real.sum()))

    def embeddings(self) -> np.ndarray:
        """Return the subword embeddings (pieces, d), float32, sentence by sentence."""
        ids = self.readings.ids.values[self.readings.words.values != NO_WORD]
        return self.laser.encoder.embedding.weight.detach().cpu().numpy()[ids]

    def states(self, layers: Sequence[int], batch_tokens: int = 12_000) -> np.ndarray:
        """Return the maximum over directions of hidden states (pieces, layers, h), float32; the first layer is 0.

        A sentence is read as LASER was trained to, with `</s>` behind it (equation 2, without γ).
        """
        encoder, readings = self.laser.encoder, self.readings
        found = np.empty((len(readings.ids.values), len(layers), encoder.size // 2), dtype=np.float32)
        encoder.eval()
        device = encoder.embedding.weight.device
        with torch.inference_mode():
            for rows in by_length(readings.ids.lengths, batch_tokens):
                batch = self.laser.batch(readings, rows)
                outputs = encoder.layer_outputs(batch.ids.to(device), batch.lengths)
                states = torch.stack([max_over_directions(outputs[layer]) for layer in layers], dim=2)
                places, mask = readings.ids.places(rows)
                found[places[mask]] = states.cpu().numpy()[mask]
        return found[readings.words.values != NO_WORD]
