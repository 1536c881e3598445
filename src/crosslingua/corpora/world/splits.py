"""Train, validation and test never share a sentence: the split is a function of the sentence's own words."""

from __future__ import annotations

import numpy as np

from crosslingua.corpora.world.realise import Language, Told
from crosslingua.errors import ConfigError

SPLITS = ("train", "valid", "test")
_OF_TEN = np.array([0, 0, 0, 0, 0, 0, 1, 1, 2, 2], dtype=np.int8)  # residue of the signature -> split


def split_number(split: str) -> int:
    """Return the number of a split. Raises ConfigError for an unknown name."""
    if split not in SPLITS:
        raise ConfigError(f"unknown split {split!r}: choose one of {', '.join(SPLITS)}")
    return SPLITS.index(split)


def in_split(told: Told, language: Language, split: str) -> np.ndarray:
    """Return the mask of sentences that belong to `split`: the same words are always in the same split."""
    return _of_split(signatures(told, language), split)


def in_split_by_concepts(told: Told, split: str) -> np.ndarray:
    """Return the mask of sentences that belong to `split`: the same concepts, in any order and words, always do."""
    row, slot = told.tokens()
    return _of_split(_totals(told, row, told.concept[row, slot].astype(np.uint64)), split)


def signatures(told: Told, language: Language) -> np.ndarray:
    """Return one 64-bit number for each sentence, a function of its words and their order only."""
    row, slot = told.tokens()
    words = language.hashes()[told.form[row, slot]]
    position = (np.arange(len(row)) - np.searchsorted(row, row)).astype(np.uint64)
    return _totals(told, row, words + position * np.uint64(0x9E3779B97F4A7C15))


def _of_split(signature: np.ndarray, split: str) -> np.ndarray:
    return _OF_TEN[signature % np.uint64(10)] == split_number(split)


def _totals(told: Told, row: np.ndarray, numbers: np.ndarray) -> np.ndarray:
    """Return the sum of the mixed bits of `numbers`, one a token, of each sentence."""
    mixed = numbers * np.uint64(0xBF58476D1CE4E5B9)
    mixed ^= mixed >> np.uint64(31)
    mixed *= np.uint64(0x94D049BB133111EB)
    totals = np.zeros(len(told.form), np.uint64)
    np.add.at(totals, row, mixed ^ (mixed >> np.uint64(29)))
    return totals >> np.uint64(7)
