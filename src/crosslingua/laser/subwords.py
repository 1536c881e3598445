"""Words to subword ids, the same for every kind of BPE that an encoder may come with."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

import numpy as np

from crosslingua.errors import InputError
from crosslingua.ragged import Ragged

PADDING, END, UNKNOWN = "<pad>", "</s>", "<unk>"


class Subwords(Protocol):
    """Splits words into subwords that the encoder has embeddings of. `padding` and `end` are ids."""

    padding: int
    end: int

    def split(self, words: Sequence[str]) -> list[list[int]]:
        """Return the ids of each word's subwords, at least one."""

    def save(self, folder: Path) -> None:
        """Write what makes these subwords again into an encoder's folder."""


def ended(values: np.ndarray, offsets: np.ndarray, end: int) -> Ragged:
    """Return the rows `values[offsets[i]:offsets[i + 1]]` with `end` after each."""
    return Ragged(np.insert(values, offsets[1:], end).astype(np.int64), offsets + np.arange(len(offsets)))


def special_ids(path: str | Path, vocabulary: dict[str, int]) -> tuple[int, int, int]:
    """Return the ids of padding, end and unknown. Raises InputError, naming `path`, if one is missing."""
    missing = [name for name in (PADDING, END, UNKNOWN) if name not in vocabulary]
    if missing:
        raise InputError(path, f"has no subword {missing[0]}", remedy="<pad>, </s> and <unk> are needed")
    return vocabulary[PADDING], vocabulary[END], vocabulary[UNKNOWN]
