"""Sentences of words as the subword pieces that an encoder reads, in windows no longer than it can read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np

from crosslingua.embedders.words import Words, special_tokens
from crosslingua.errors import InputError
from crosslingua.ragged import Ragged, offsets_of


@dataclass(frozen=True)
class Windows:
    """Windows of sentences, in order; a sentence that fits is one window.

    `ids`: a window's piece ids, special tokens included. `starts`: where in its window each word's first piece
    stands, so that row i of `starts` has one entry for each word of window i. `divided`: sentences of several
    windows; `cut_words`: words longer than a window, of which the first pieces are kept.
    """

    ids: Ragged
    starts: Ragged
    divided: int
    cut_words: int


class WordPieces:
    """Encodes words as pieces, each word by itself (as `is_split_into_words` does), each distinct word once."""

    def __init__(self, tokenizer: Any, max_length: int):
        self._words = Words(tokenizer)
        self.before, self.after = special_tokens(tokenizer, sentences=1)
        self.room = max_length - len(self.before) - len(self.after)
        if self.room < 1:
            raise InputError(
                tokenizer.name_or_path, f"a maximum length of {max_length} leaves no room for a word"
            )

    def encode(self, sentences: Sequence[Sequence[str]]) -> Windows:
        """Encode sentences of at least one word.

        A sentence longer than the model is divided into windows of whole words, as XTREME's preprocessing does;
        no word is lost. A word without any piece (of invisible characters, say) becomes the unknown piece.
        """
        index: dict[str, int] = {}
        words = np.array([index.setdefault(word, len(index)) for word in chain.from_iterable(sentences)])
        pieces, cut = self._pieces(list(index))
        sizes = pieces.lengths[words]
        bounds, divided = _windows(sizes, offsets_of([len(s) for s in sentences]), self.room)
        ids, starts = self._assemble(pieces.joined(words), offsets_of(sizes), bounds)
        return Windows(ids, starts, divided, int(cut[words].sum()))

    def _pieces(self, words: Sequence[str]) -> tuple[Ragged, np.ndarray]:
        pieces = self._words.pieces(words)
        cut = np.array([len(ids) > self.room for ids in pieces])
        return Ragged.of([ids[: self.room] for ids in pieces]), cut

    def _assemble(self, pieces: np.ndarray, ends: np.ndarray, bounds: np.ndarray) -> tuple[Ragged, Ragged]:
        """Return (ids, starts) of the windows: `ends` (words + 1,) in pieces, `bounds` (windows + 1,) in words."""
        extra = len(self.before) + len(self.after)
        offsets = ends[bounds] + extra * np.arange(len(bounds))
        lengths = np.diff(ends[bounds])
        values = np.empty(offsets[-1], dtype=np.int64)
        shift = offsets[:-1] + len(self.before) - ends[bounds[:-1]]
        values[np.arange(len(pieces)) + np.repeat(shift, lengths)] = pieces
        for place, token in enumerate(self.before):
            values[offsets[:-1] + place] = token
        for place, token in enumerate(reversed(self.after), 1):
            values[offsets[1:] - place] = token
        starts = ends[:-1] - np.repeat(ends[bounds[:-1]], np.diff(bounds)) + len(self.before)
        return Ragged(values, offsets), Ragged(starts, bounds)


def _windows(sizes: np.ndarray, sentences: np.ndarray, room: int) -> tuple[np.ndarray, int]:
    """Return the word offsets of windows of at most `room` pieces, and how many sentences have several."""
    totals = np.add.reduceat(sizes, sentences[:-1])
    long = np.flatnonzero(totals > room)
    cuts = [
        cut
        for sentence in long.tolist()
        for cut in _cuts(sizes, int(sentences[sentence]), int(sentences[sentence + 1]), room)
    ]
    return np.sort(np.concatenate([sentences, np.array(cuts, dtype=np.int64)])), len(long)


def _cuts(sizes: np.ndarray, start: int, end: int, room: int) -> list[int]:
    """Return the words before which a sentence is divided, each window as full as it can be."""
    cuts, used = [], 0
    for word in range(start, end):
        if used + sizes[word] > room:
            cuts.append(word)
            used = 0
        used += int(sizes[word])
    return cuts
