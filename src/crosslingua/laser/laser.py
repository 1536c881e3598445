"""A trained LASER: an encoder and the subwords that it reads."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
import torch
from torch import Tensor

from crosslingua.laser.encoder import LaserEncoder
from crosslingua.laser.subwords import Subwords, ended
from crosslingua.ragged import Ragged, offsets_of

NO_WORD = -1


@dataclass(frozen=True)
class Readings:
    """Sentences as the encoder reads them: subwords, then `</s>`.

    `ids`: a row of subwords a sentence. `words`: for each of them the number of its word in the sentence; -1
    for `</s>`.
    """

    ids: Ragged
    words: Ragged


@dataclass(frozen=True)
class SentenceBatch:
    """Sentences side by side, padded on the right: `encoder(ids, lengths)` or `encoder.layer_outputs(...)`.

    `ids` and `words` (as in Readings; -1 for padding too) are (batch, time) int64, `lengths` (batch,) int64.
    """

    ids: Tensor
    lengths: Tensor
    words: Tensor


@dataclass(frozen=True)
class Laser:
    """Embeds sentences of words; `read` and `batch` give what word embeddings are made of."""

    encoder: LaserEncoder
    subwords: Subwords

    def read(self, sentences: Sequence[Sequence[str]]) -> Readings:
        """Split sentences of words into subwords, each distinct word once."""
        index: dict[str, int] = {}
        every = [index.setdefault(word, len(index)) for word in chain.from_iterable(sentences)]
        words = np.array(every, dtype=np.int64)
        subwords = Ragged.of(self.subwords.split(list(index)))
        sizes, first = subwords.lengths[words], offsets_of([len(sentence) for sentence in sentences])
        numbers = np.arange(len(words)) - np.repeat(first[:-1], np.diff(first))
        bounds = offsets_of(sizes)[first]
        return Readings(
            ended(subwords.joined(words), bounds, self.subwords.end),
            ended(np.repeat(numbers, sizes), bounds, NO_WORD),
        )

    def batch(self, readings: Readings, rows: np.ndarray) -> SentenceBatch:
        """Return the sentences `rows` side by side."""
        return SentenceBatch(
            torch.from_numpy(readings.ids.padded(rows, self.subwords.padding)),
            torch.from_numpy(readings.ids.lengths[rows]),
            torch.from_numpy(readings.words.padded(rows, NO_WORD)),
        )

    def embed(self, sentences: Sequence[Sequence[str]], batch_tokens: int = 12_000) -> np.ndarray:
        """Return the embeddings (n, size) float32 of sentences of words, `batch_tokens` subwords at a time."""
        readings = self.read(sentences)
        embeddings = np.empty((len(sentences), self.encoder.size), dtype=np.float32)
        device = self.encoder.embedding.weight.device
        self.encoder.eval()
        with torch.inference_mode():
            for rows in by_length(readings.ids.lengths, batch_tokens):
                batch = self.batch(readings, rows)
                embeddings[rows] = self.encoder(batch.ids.to(device), batch.lengths).cpu().numpy()
        return embeddings


def by_length(lengths: np.ndarray, batch_tokens: int) -> Iterator[np.ndarray]:
    """Yield the row numbers of batches of like length, longest first, of at most `batch_tokens` with padding."""
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
