"""Features: what the frozen half of an embedder makes of a data set, kept in a file that is mapped into memory.

The file is safetensors, so that other tools can read it:

    table            (rows, layers, d) bf16
    rows             (pieces,) int32       row of each piece, word by word, sentence by sentence
    words            (words + 1,) int64    where each word's pieces begin; a word has one at least
    sentences        (sentences + 1,) int64   where each sentence's words begin

with the embedder's name, the language, a checksum of the words and the share of the data set in its metadata.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Self

import numpy as np
import torch
from torch import Tensor

from crosslingua.errors import InputError
from crosslingua.io.atomic import atomic_path
from crosslingua.ragged import Ragged, offsets_of

REMEDY = "make it again with embed_words.py"


@dataclass(frozen=True)
class FeatureBatch:
    """Some sentences' features, sentence by sentence and word by word.

    `vectors`: (pieces, layers, d) float32, of all pieces of the batch in order; `rows`: (pieces,) int64, their rows in
    the table; `sizes`: (all words,) int64, how many of them each word has. `mask`: (batch, words), which are words;
    `places` of the same shape, int64: the number of each word in the batch, 0 where there is none.
    """

    vectors: Tensor
    rows: Tensor
    sizes: Tensor
    places: Tensor
    mask: Tensor


@dataclass(frozen=True)
class Features:
    """Features of sentences, in order; see the module.

    `table` (rows, layers, d) is bf16. It has no rows where an embedder's trainable half has a vocabulary of its own, of
    `vocabulary` entries, which `rows` are then numbers of. `report` is what its maker has to say: counts of unknown
    words, of sentences that were divided. `share`, 0 to 1: the sentences are a random share of a data set's.
    """

    embedder: str
    language: str
    table: Tensor
    pieces: Ragged  # a row a word; values are rows of the table
    sentences: np.ndarray
    words_hash: str
    vocabulary: int = 0
    report: Mapping[str, Any] = field(default_factory=dict)
    share: float = 1.0

    @classmethod
    def of_words(
        cls,
        embedder: str,
        language: str,
        sentences: Sequence[Sequence[str]],
        table: Tensor,
        pieces: Ragged,
        **more: Any,
    ) -> Self:
        """Return the features of `sentences`; `pieces` has a row for each of their words, none of them empty."""
        bounds = offsets_of([len(sentence) for sentence in sentences])
        if len(pieces) != bounds[-1] or (len(pieces) and pieces.lengths.min() < 1):
            raise ValueError(f"{len(pieces)} words' pieces, some none, for {bounds[-1]} words")
        return cls(
            embedder,
            language,
            table.to(torch.bfloat16).contiguous(),
            pieces,
            bounds,
            words_hash(sentences),
            **more,
        )

    def __len__(self) -> int:
        return len(self.sentences) - 1

    @property
    def lengths(self) -> np.ndarray:
        """Words of each sentence."""
        return self._words.lengths

    @property
    def shape(self) -> tuple[int, int]:
        """Layers and dimensions of a piece."""
        return self.table.shape[1], self.table.shape[2]

    @cached_property
    def _words(self) -> Ragged:
        return Ragged(np.arange(self.sentences[-1]), self.sentences)

    def batch(self, numbers: np.ndarray) -> FeatureBatch:
        """Return the features of the sentences `numbers`, padded to the longest."""
        words = self._words.joined(numbers)
        rows = torch.from_numpy(self.pieces.joined(words).astype(np.int64))
        vectors = self.table[rows] if len(self.table) else torch.zeros(len(rows), 0, 0)
        places, mask = _packed(self.lengths[numbers])
        numbered = [self.pieces.lengths[words], places, mask]
        return FeatureBatch(vectors.float(), rows, *map(torch.from_numpy, numbered))

    def check(self, path: str | Path, sentences: Sequence[Sequence[str]]) -> None:
        """Raise InputError unless they were made of `sentences`."""
        if self.words_hash != words_hash(sentences):
            raise InputError(path, "features of other sentences than the data have", remedy=REMEDY)

    def save(self, path: str | Path) -> None:
        """Write the file, atomically."""
        from safetensors.torch import save_file

        about = {
            "embedder": self.embedder, "language": self.language, "words_hash": self.words_hash,
            "vocabulary": str(self.vocabulary), "report": json.dumps(dict(self.report)), "share": str(self.share),
        }  # fmt: skip
        tensors = {
            "table": self.table.contiguous(),
            "rows": torch.from_numpy(self.pieces.values.astype(np.int32)),
            "words": torch.from_numpy(self.pieces.offsets),
            "sentences": torch.from_numpy(self.sentences),
        }
        with atomic_path(path) as temporary:
            save_file(tensors, temporary, metadata=about)

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Map a file into memory. Raises InputError if it is missing or no file of features."""
        from safetensors import SafetensorError, safe_open

        try:
            with safe_open(path, framework="pt") as stored:
                about = stored.metadata() or {}
                found = {name: stored.get_tensor(name) for name in ("table", "rows", "words", "sentences")}
            return cls(
                about["embedder"], about["language"], found["table"],
                Ragged(found["rows"].numpy(), found["words"].numpy()), found["sentences"].numpy(),
                about["words_hash"], int(about["vocabulary"]), json.loads(about["report"]), float(about["share"]),
            )  # fmt: skip
        except (FileNotFoundError, SafetensorError, KeyError, ValueError) as error:
            raise InputError(path, f"no features ({error})", remedy=REMEDY) from None


def words_hash(sentences: Sequence[Sequence[str]]) -> str:
    """Return what tells two data sets apart: a hash of their words and sentence ends."""
    digest = hashlib.sha256()
    for sentence in sentences:
        digest.update(("\t".join(sentence) + "\n").encode())
    return digest.hexdigest()


def _packed(lengths: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return (places, mask), (rows, longest), of rows that stand one behind the other."""
    places, mask = Ragged(np.empty(0), offsets_of(lengths)).places(np.arange(len(lengths)))
    return places, mask
