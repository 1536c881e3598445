"""Static vectors: a word has one vector of a `.vec` file in all sentences."""

from collections.abc import Sequence
from functools import lru_cache
from itertools import chain
from typing import Annotated

import numpy as np
import torch

from crosslingua.embedders.embedder import Embedder
from crosslingua.embedders.features import Device, Features
from crosslingua.errors import InputError
from crosslingua.io.decode import lowercase
from crosslingua.io.vectors import WordVectors, read_vectors
from crosslingua.settings import settings


@settings
class StaticVectors(Embedder):
    """Looks words up: as they are spelled, else in lower case. A word that has no vector gets zeros."""

    vectors: Annotated[str, "the file, of the language of the sentences"]

    def embed(self, sentences: Sequence[Sequence[str]], language: str, device: Device = "cpu") -> Features:
        """Return one vector a word. Raises InputError if no word has one."""
        vectors = _parsed(self.vectors)
        words: dict[str, int] = {}
        numbers = np.array([words.setdefault(word, len(words)) for word in chain.from_iterable(sentences)])
        rows = np.array([self._row(vectors, word, language) for word in words])
        if (rows < 0).all():
            raise InputError(
                self.vectors, f"has none of the {len(words)} words: is it of language {language!r}?"
            )
        unknown = int((rows < 0)[numbers].sum())
        share = round(unknown / len(numbers), 4)
        report = {"words": len(numbers), "unknown_words": unknown, "unknown_share": share}
        vectors_of_words = np.where(rows[:, None] < 0, np.float32(0), vectors.matrix[rows])
        table = torch.from_numpy(vectors_of_words)[:, None]
        return Features.of_words("static_vectors", language, sentences, table, numbers, report=report)

    def _row(self, vectors: WordVectors, word: str, language: str) -> int:
        row = vectors.index.get(word, -1)
        return vectors.index.get(lowercase(word, language), -1) if row < 0 else row


@lru_cache(maxsize=1)
def _parsed(path: str) -> WordVectors:
    """Read vectors once for consecutive data sets of a process."""
    return read_vectors(path, drop_zero=True)
