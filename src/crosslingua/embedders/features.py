"""Features: the output of an embedder's frozen half for a data set, in a safetensors file that is mapped into memory.

    table            (rows, layers, d) bf16
    rows             (pieces,) int32       row of each piece, word by word, sentence by sentence
    words            (words + 1,) int64    first piece of each word; a word has at least one
    sentences        (sentences + 1,) int64   first word of each sentence

The metadata hold the embedder's name, the language, a checksum of the words and the share of the data set.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Self

import numpy as np
import torch
from torch import Tensor

from crosslingua.errors import InputError
from crosslingua.io.atomic import atomic_path
from crosslingua.nn.ragged import Ragged, offsets_of

REMEDY = "make it again with crosslingua embed-words"
Device = torch.device | str


@dataclass(frozen=True)
class FeatureBatch:
    """The features of some sentences, in order.

    `vectors` (pieces, layers, d) float32 belong to all pieces of the batch, and `rows` (pieces,) int64 are their rows
    in the table. `sizes` (all words,) int64 counts the pieces of each word. `mask` (batch, words) is true at words;
    `places` of the same shape, int64, is the number of each word in the batch, 0 at padding. All are on one device.
    """

    vectors: Tensor
    rows: Tensor
    sizes: Tensor
    places: Tensor
    mask: Tensor


@dataclass(frozen=True)
class Features:
    """Features of sentences, in order; see the module.

    `table` (rows, layers, d) bf16 is empty where the trainable half has embeddings of its own, for `vocabulary`
    entries, which `rows` number. `report` holds counts (unknown words, divided sentences); `share`, 0 to 1, is the
    share of a data set.
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
        pieces: Ragged | np.ndarray,
        **more: Any,
    ) -> Self:
        """Return the features of `sentences`; `pieces` has a non-empty row for each of their words, or one number."""
        if isinstance(pieces, np.ndarray):
            pieces = Ragged(pieces, np.arange(len(pieces) + 1))
        bounds = offsets_of([len(sentence) for sentence in sentences])
        if len(pieces) != bounds[-1] or (len(pieces) and pieces.lengths.min() < 1):
            raise ValueError(f"{len(pieces)} words' pieces, some none, for {bounds[-1]} words")
        stored = table.to(torch.bfloat16).contiguous()
        return cls(embedder, language, stored, pieces, bounds, words_hash(sentences), **more)

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

    def to(self, device: Device) -> Self:
        """Return the features with the table, and so all batches, on a device."""
        return replace(self, table=self.table.to(device))

    @property
    def device(self) -> torch.device:
        """Where the table is."""
        return self.table.device

    def batch(self, numbers: np.ndarray) -> FeatureBatch:
        """Return the features of the sentences `numbers`, padded to the longest, where the table is."""
        words = self._words.joined(numbers)
        rows = torch.from_numpy(self.pieces.joined(words).astype(np.int64)).to(self.device)
        vectors = self.table[rows] if len(self.table) else torch.zeros(len(rows), 0, 0, device=self.device)
        lengths = self.lengths[numbers]
        places, mask = Ragged(np.empty(0), offsets_of(lengths)).places(np.arange(len(lengths)))
        numbered = [torch.from_numpy(part) for part in (self.pieces.lengths[words], places, mask)]
        return FeatureBatch(vectors.float(), rows, *(part.to(self.device) for part in numbered))

    def selected(self, numbers: np.ndarray, share: float) -> Self:
        """Return the features of the sentences `numbers`, a share of the data set; the table is shared."""
        words = self._words.joined(numbers)
        pieces = Ragged(self.pieces.joined(words), offsets_of(self.pieces.lengths[words]))
        bounds = offsets_of(self.lengths[numbers])
        return replace(self, pieces=pieces, sentences=bounds, words_hash="", share=share)

    def check(self, path: str | Path, sentences: Sequence[Sequence[str]]) -> None:
        """Raise InputError unless the features are of `sentences`."""
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


def share_table(parts: Sequence[Features]) -> list[Features]:
    """Return the features with one table of distinct rows. A word with equal vectors in two languages is one row."""
    every = torch.cat([part.table for part in parts])
    bits, numbers = torch.unique(every.flatten(1).view(torch.int16), dim=0, return_inverse=True)
    table = bits.view(torch.bfloat16).view(-1, *every.shape[1:])
    bounds = offsets_of([len(part.table) for part in parts])
    rows = [numbers[start:].numpy()[part.pieces.values] for part, start in zip(parts, bounds, strict=False)]
    return [
        replace(part, table=table, pieces=Ragged(own, part.pieces.offsets))
        for part, own in zip(parts, rows, strict=True)
    ]


def words_hash(sentences: Sequence[Sequence[str]]) -> str:
    """Return a hash of words and sentence ends, which identifies a data set."""
    digest = hashlib.sha256()
    for sentence in sentences:
        digest.update(("\t".join(sentence) + "\n").encode())
    return digest.hexdigest()
