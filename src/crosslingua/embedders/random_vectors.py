"""Random word vectors, a control: words of two languages share at most their spelling."""

import hashlib
from collections.abc import Sequence
from itertools import chain
from typing import Annotated

import numpy as np
import torch

from crosslingua.embedders.embedder import Embedder
from crosslingua.embedders.features import Device, Features
from crosslingua.settings import Seed, Size, settings


@settings
class RandomVectors(Embedder):
    """Every distinct word has a vector of independent normal numbers, drawn by its spelling, language and seed."""

    dimension: Annotated[Size, "of the vectors"] = 64
    seed: Annotated[Seed, "seed of the random vectors"] = 1
    share_spellings: Annotated[
        bool, "true: a spelling has the same vector in every language; false: a vector for each language"
    ] = False

    def embed(self, sentences: Sequence[Sequence[str]], language: str, device: Device = "cpu") -> Features:
        """Return one vector a word."""
        words: dict[str, int] = {}
        numbers = np.array([words.setdefault(word, len(words)) for word in chain.from_iterable(sentences)])
        place = "" if self.share_spellings else language
        vectors = np.stack([self._vector(f"{self.seed}\t{place}\t{word}") for word in words])
        table = torch.from_numpy(vectors)[:, None]
        return Features.of_words("random_vectors", language, sentences, table, numbers)

    def _vector(self, name: str) -> np.ndarray:
        digest = hashlib.sha256(name.encode()).digest()
        rng = np.random.default_rng(int.from_bytes(digest[:16], "little"))
        return rng.standard_normal(self.dimension, dtype=np.float32) / np.sqrt(self.dimension)
