"""Words to subword ids, the same for every kind of BPE that an encoder may come with."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

import numpy as np

from crosslingua.errors import InputError

PADDING, END, UNKNOWN = "<pad>", "</s>", "<unk>"
NO_WORD = -1


class Reading(NamedTuple):
    """A sentence as the encoder reads it: subwords, then `</s>`."""

    ids: np.ndarray  # (subwords + 1,) int64
    words: np.ndarray  # (subwords + 1,) int64: the number of the word of each subword; -1 for `</s>`


class Subwords(Protocol):
    """Splits words into subwords that the encoder has embeddings of; every word keeps at least one."""

    padding: int

    def read(self, sentences: Sequence[Sequence[str]]) -> list[Reading]:
        """Return the subwords of sentences of words."""

    def save(self, folder: Path) -> None:
        """Write what makes these subwords again into an encoder's folder."""


def reading(words: Sequence[Sequence[int]], end: int) -> Reading:
    """Put the subwords of each word end to end, and `</s>` after them."""
    numbers = np.repeat(np.arange(len(words)), [len(word) for word in words])
    ids = [subword for word in words for subword in word]
    return Reading(np.array([*ids, end], dtype=np.int64), np.append(numbers, NO_WORD).astype(np.int64))


def special_ids(path: str | Path, vocabulary: dict[str, int]) -> tuple[int, int, int]:
    """Return the ids of padding, end and unknown. Raises InputError, naming `path`, if one is missing."""
    missing = [name for name in (PADDING, END, UNKNOWN) if name not in vocabulary]
    if missing:
        raise InputError(path, f"has no subword {missing[0]}", remedy="<pad>, </s> and <unk> are needed")
    return vocabulary[PADDING], vocabulary[END], vocabulary[UNKNOWN]
