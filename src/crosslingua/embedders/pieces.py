"""Sentences of words as the subword pieces that an encoder reads, in windows no longer than it can read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np

from crosslingua.embedders.overlap import widest
from crosslingua.embedders.words import Words, special_tokens
from crosslingua.errors import InputError
from crosslingua.ragged import Ragged, offsets_of


@dataclass(frozen=True)
class Windows:
    """Windows of sentences, in order; a sentence that fits is one window, those of a longer one overlap.

    `ids`: a window's piece ids, special tokens included. `starts`: where in its window each word's first piece
    stands, so that row i of `starts` has one entry for each word that is read in window i: every word is read in one,
    that in which it has most context, and is context alone in others. `sizes` (words,): pieces of each word.
    `divided`: sentences of several windows; `cut_words`: words longer than a window, of which the first pieces are
    kept.
    """

    ids: Ragged
    starts: Ragged
    sizes: np.ndarray
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

        A sentence longer than the model is read in overlapping windows of whole words; no word is lost. A word
        without any piece (of invisible characters, say) becomes the unknown piece.
        """
        index: dict[str, int] = {}
        words = np.array([index.setdefault(word, len(index)) for word in chain.from_iterable(sentences)])
        pieces, cut = self._pieces(list(index))
        sizes = pieces.lengths[words]
        ends = offsets_of(sizes)
        plan, divided = _windows(ends, offsets_of([len(s) for s in sentences]), self.room)
        ids, starts = self._assemble(pieces.joined(words), ends, plan)
        return Windows(ids, starts, sizes, divided, int(cut[words].sum()))

    def _pieces(self, words: Sequence[str]) -> tuple[Ragged, np.ndarray]:
        pieces = self._words.pieces(words)
        cut = np.array([len(ids) > self.room for ids in pieces])
        return Ragged.of([ids[: self.room] for ids in pieces]), cut

    def _assemble(self, pieces: np.ndarray, ends: np.ndarray, plan: np.ndarray) -> tuple[Ragged, Ragged]:
        """Return (ids, starts) of the windows of a plan (see `_windows`): `ends` (words + 1,) in pieces."""
        first, stop, owned = plan.T
        lengths = ends[stop] - ends[first]
        offsets = offsets_of(lengths + len(self.before) + len(self.after))
        values = np.empty(offsets[-1], dtype=np.int64)
        within = np.arange(lengths.sum()) - np.repeat(offsets_of(lengths)[:-1], lengths)
        places = np.repeat(offsets[:-1] + len(self.before), lengths) + within
        values[places] = pieces[np.repeat(ends[first], lengths) + within]
        for place, token in enumerate(self.before):
            values[offsets[:-1] + place] = token
        for place, token in enumerate(reversed(self.after), 1):
            values[offsets[1:] - place] = token
        bounds = np.append(owned, len(ends) - 1)
        starts = ends[:-1] - np.repeat(ends[first], np.diff(bounds)) + len(self.before)
        return Ragged(values, offsets), Ragged(starts, bounds)


def _windows(ends: np.ndarray, sentences: np.ndarray, room: int) -> tuple[np.ndarray, int]:
    """Return a plan, and how many sentences have several windows of at most `room` pieces.

    A plan (windows, 3) has of each window the first word, the one behind its last, and the first of those that are
    read in it; they go on to where the next window's begin.
    """
    starts, stops = sentences[:-1], sentences[1:]
    long = ends[stops] - ends[starts] > room
    whole = np.stack([starts, stops, starts], axis=1)[~long]
    divided = [
        _owned(ends, _overlapping(ends, *pair, room)) for pair in zip(starts[long], stops[long], strict=True)
    ]
    plan = np.concatenate([whole, *divided])
    return plan[np.argsort(plan[:, 2])], len(divided)


def _overlapping(ends: np.ndarray, start: int, end: int, room: int) -> np.ndarray:
    """Return the windows (n, 2) of the words `start` to `end`, as full as they can be, the last one too.

    A window begins half a window behind the one before, or later where only then it reaches a further word.
    """
    found = []
    while (stop := np.searchsorted(ends, ends[start] + room, side="right") - 1) < end:
        found.append((start, stop))
        half = np.searchsorted(ends, ends[start] + room // 2, side="right") - 1
        start = max(half, np.searchsorted(ends, ends[stop + 1] - room))
    found.append((np.searchsorted(ends, ends[end] - room), end))
    return np.array(found)


def _owned(ends: np.ndarray, windows: np.ndarray) -> np.ndarray:
    """Return the plan of one sentence's windows; those in which no word has most context are left out."""
    words = np.arange(windows[0, 0], windows[-1, 1])
    owner = widest(ends[windows], np.stack([ends[words], ends[words + 1]], axis=1))
    used, first = np.unique(owner, return_index=True)  # owners are in order: windows begin and end in order
    return np.column_stack([windows[used], words[first]])
