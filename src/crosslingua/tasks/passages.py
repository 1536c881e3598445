"""Questions and their passages as a model reads them: pieces in overlapping windows, each piece with its characters.

A long passage is read in windows that begin every `stride` pieces, each with the whole question before it (BERT,
section 4.2; run_squad.py). A piece's characters are those of the passage as it is written, whatever the tokeniser made
of them: offsets of a fast tokeniser; of one that tells none, the ends of the word.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from crosslingua.embedders.words import Words, special_tokens
from crosslingua.errors import ConfigError

JOINERS = "\u200c\u200d"  # zero width: what they join to is one character to its reader
WORD = re.compile(r"\S+")


@dataclass(frozen=True)
class LocatedPieces:
    """A text's pieces: ids (n,), and the first character and the one after the last of each, `spans` (n, 2)."""

    ids: np.ndarray
    spans: np.ndarray

    def __len__(self) -> int:
        return len(self.ids)

    def covering(self, start: int, end: int) -> tuple[int, int] | None:
        """Return the first and the last piece that have a character of start to end; None where no piece has."""
        inside = np.flatnonzero((self.spans[:, 1] > start) & (self.spans[:, 0] < end))
        return (int(inside[0]), int(inside[-1])) if len(inside) else None

    def characters(self, first: int, last: int) -> tuple[int, int]:
        """Return the characters of the pieces first to last: the first one, and the one after the last."""
        return int(self.spans[first, 0]), int(self.spans[last, 1])


class TextPieces:
    """Divides running text into pieces; a text that comes again is divided once."""

    def __init__(self, tokenizer: Any):
        self.tokenizer = tokenizer
        self._words = None if getattr(tokenizer, "is_fast", False) else Words(tokenizer)
        self._known: dict[str, LocatedPieces] = {}

    def __call__(self, texts: Sequence[str]) -> list[LocatedPieces]:
        """Return the pieces of each text; there are none of a text of invisible characters."""
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        if new:
            self._known |= zip(
                new, self._fast(new) if self._words is None else map(self._slow, new), strict=True
            )
        return [self._known[text] for text in texts]

    def _fast(self, texts: list[str]) -> list[LocatedPieces]:
        encoded = self.tokenizer(texts, add_special_tokens=False, return_offsets_mapping=True, verbose=False)
        found = zip(encoded["input_ids"], encoded["offset_mapping"], texts, strict=True)
        return [_pieces(ids, [_visible(text, *span) for span in spans]) for ids, spans, text in found]

    def _slow(self, text: str) -> LocatedPieces:
        words = list(WORD.finditer(text))
        pieces = self._words.pieces([word.group() for word in words])
        spans = [word.span() for word, ids in zip(words, pieces, strict=True) for _ in ids]
        return _pieces([number for ids in pieces for number in ids], spans)


def _pieces(ids: Sequence[int], spans: Sequence[tuple[int, int]]) -> LocatedPieces:
    return LocatedPieces(np.array(ids, dtype=np.int64), np.array(spans, dtype=np.int64).reshape(-1, 2))


def _visible(text: str, start: int, end: int) -> tuple[int, int]:
    """Take white space off the ends of a piece; XLM-R's pieces may begin with it."""
    part = text[start:end]
    return start + len(part) - len(part.lstrip()), end - len(part) + len(part.rstrip())


def whole_characters(text: str, start: int, end: int) -> tuple[int, int]:
    """Widen start to end until it cuts no character: a letter keeps its marks, an emoji what is joined to it."""
    while 0 < start < len(text) and _continues(text, start):
        start -= 1
    while end < len(text) and _continues(text, end):
        end += 1
    return start, end


def _continues(text: str, place: int) -> bool:
    """Whether a character belongs to the one before it: a mark, a joiner or what it joins, a skin tone."""
    char, before = text[place], text[place - 1]
    tone = "\U0001f3fb" <= char <= "\U0001f3ff"
    return unicodedata.category(char).startswith("M") or char in JOINERS or tone or before == "\u200d"


@dataclass(frozen=True)
class Window:
    """A stretch of a passage, pieces `start` to `stop`, that is read with a question at once."""

    question: int
    start: int
    stop: int


def windows(number: int, length: int, room: int, stride: int) -> list[Window]:
    """Return the windows of a passage of `length` pieces, at most `room` each, one every `stride`; the last ends it.

    Neighbours share half of their pieces at least, also where a model reads few at once.
    """
    stride, found, start = min(stride, max(1, room // 2)), [], 0
    while True:
        stop = min(start + room, length)
        found.append(Window(number, start, stop))
        if stop == length:
            return found
        start += stride


@dataclass(frozen=True)
class QuestionFrame:
    """The special tokens of a question with a passage, and how much of either is read at once."""

    before: list[int]
    between: list[int]
    after: list[int]
    max_length: int
    question_length: int

    @classmethod
    def of(cls, tokenizer: Any, max_length: int, question_length: int) -> QuestionFrame:
        """Raise ConfigError if less than half of a window is left for the passage; questions are cut before that."""
        before, between, after = special_tokens(tokenizer, sentences=2)
        frame = cls(before, between, after, max_length, min(question_length, max_length // 2))
        if frame.room(frame.question_length) < 1:
            raise ConfigError(f"max_length is {max_length}: no room for a passage beside a question")
        return frame

    def room(self, question: int) -> int:
        """Return how many pieces of a passage fit beside a question of so many."""
        return self.max_length - question - len(self.before) - len(self.between) - len(self.after)

    def offset(self, question: int) -> int:
        """Return where the passage begins behind a question of so many pieces."""
        return len(self.before) + question + len(self.between)

    def join(self, question: np.ndarray, passage: np.ndarray) -> np.ndarray:
        """Return the ids of a window."""
        return np.concatenate([self.before, question, self.between, passage, self.after]).astype(np.int64)
