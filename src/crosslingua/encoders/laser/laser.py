"""A trained LASER: an encoder and the subwords that it reads."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from crosslingua.encoders.laser.encoder import LaserEncoder, real_positions
from crosslingua.encoders.laser.subwords import NO_WORD, Reading, Subwords


class Batch(NamedTuple):
    """Sentences side by side, padded on the right."""

    ids: Tensor  # (batch, time) int64
    lengths: Tensor  # (batch,) int64, with `</s>`
    words: Tensor  # (batch, time) int64: the number of each subword's word; -1 for `</s>` and padding


@dataclass(frozen=True)
class Laser:
    """Embeds sentences of words; `encoder` and `batch` give what word embeddings are made of."""

    encoder: LaserEncoder
    subwords: Subwords

    def batch(self, sentences: Sequence[Sequence[str]]) -> Batch:
        """Return sentences of words as a batch, for `encoder(ids, lengths)` or `encoder.layer_outputs`."""
        return self._pad(self.subwords.read(sentences))

    def embed(self, sentences: Sequence[Sequence[str]], batch_tokens: int = 12_000) -> np.ndarray:
        """Return the embeddings (n, size) float32 of sentences of words, `batch_tokens` subwords at a time."""
        readings = self.subwords.read(sentences)
        embeddings = np.empty((len(readings), self.encoder.size), dtype=np.float32)
        device = self.encoder.embedding.weight.device
        self.encoder.eval()
        with torch.inference_mode():
            for rows in by_length([len(reading.ids) for reading in readings], batch_tokens):
                batch = self._pad([readings[row] for row in rows])
                embeddings[rows] = self.encoder(batch.ids.to(device), batch.lengths).cpu().numpy()
        return embeddings

    def _pad(self, readings: Sequence[Reading]) -> Batch:
        ids, lengths = pad([reading.ids for reading in readings], self.subwords.padding)
        words, _ = pad([reading.words for reading in readings], NO_WORD)
        return Batch(ids, lengths, words)


def pad(rows: Sequence[np.ndarray], filler: int) -> tuple[Tensor, Tensor]:
    """Return rows of ids as one matrix (batch, time), filled on the right, and their lengths (batch,)."""
    lengths = torch.tensor([len(row) for row in rows])
    matrix = torch.full((len(rows), int(lengths.max())), filler)
    matrix[real_positions(lengths, matrix.shape[1])] = torch.from_numpy(
        np.concatenate(rows).astype(np.int64, copy=False)
    )
    return matrix, lengths


def by_length(lengths: Sequence[int], batch_tokens: int) -> Iterator[np.ndarray]:
    """Yield the row numbers of batches of like length, longest first, of at most `batch_tokens` with padding."""
    lengths = np.asarray(lengths)
    return cut(np.argsort(-lengths, kind="stable"), lengths, batch_tokens)


def cut(order: np.ndarray, lengths: np.ndarray, batch_tokens: int) -> Iterator[np.ndarray]:
    """Yield consecutive parts of `order` that hold at most `batch_tokens` with padding; a longer row stands alone."""
    start = longest = 0
    for end, row in enumerate(order):
        longest = max(longest, int(lengths[row]))
        if end > start and longest * (end + 1 - start) > batch_tokens:
            yield order[start:end]
            start, longest = end, int(lengths[row])
    if len(order):
        yield order[start:]
