"""Instances: the rows that the model reads, packed from sentences or sentence pairs (align_mlm, appendix G.3).

A row of text is `<s> a </s> b </s>`, one of bitext `<s> a </s> b </s> </s> A </s> B </s>`, translations in the same
order: with one pair, what a Hugging Face tokeniser makes of a pair. Each half of bitext has half the room. The paper
pads the first half to its full length; attention skips padding and the second half's positions begin anew
(`restart_positions`), so that leaving it out is the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from crosslingua.encoders.pieces import Sentences, joined
from crosslingua.encoders.specials import Specials


@dataclass(frozen=True)
class Instances:
    """Rows end to end. Row i is `ids[offsets[i]:offsets[i + 1]]`; from `second[i]` on it is in `languages[i, 1]`."""

    ids: np.ndarray  # int32
    offsets: np.ndarray  # (rows + 1,) int64
    second: np.ndarray  # (rows,) int64; of text: the row's length
    languages: np.ndarray  # (rows, 2) int64

    def __len__(self) -> int:
        return len(self.second)

    @property
    def lengths(self) -> np.ndarray:
        """Tokens of each row."""
        return np.diff(self.offsets)


def concatenate(parts: Sequence[Instances]) -> Instances:
    """Put collections of rows one after the other."""
    ends = np.cumsum([0, *(part.offsets[-1] for part in parts)])
    return Instances(
        np.concatenate([part.ids for part in parts]),
        np.concatenate([[0], *(part.offsets[1:] + end for part, end in zip(parts, ends, strict=False))]),
        np.concatenate([part.second for part in parts]),
        np.concatenate([part.languages for part in parts]),
    )


def from_text(
    sentences: Sentences, language: int, specials: Specials, max_length: int, pack: bool
) -> tuple[Instances, int]:
    """Return rows of up to `max_length` tokens, and how many sentences were too long or empty and are left out."""
    kept, left_out = _fitting([sentences], max_length - 2)
    costs = kept[0].lengths + 1
    cuts = _cuts([costs], max_length - 1) if pack else np.arange(len(costs) + 1)
    ids, offsets = _segments(kept[0], cuts, specials.start, specials.end)
    lengths = np.diff(offsets)
    return Instances(ids, offsets, lengths, np.full((len(lengths), 2), language)), left_out


def from_bitext(
    source: Sentences,
    target: Sentences,
    languages: tuple[int, int],
    specials: Specials,
    max_length: int,
    pack: bool,
) -> tuple[Instances, int]:
    """Return rows with either side in half of `max_length` tokens, and how many pairs are left out."""
    room = max_length // 2 - 1
    kept, left_out = _fitting([source, target], room - 1)
    costs = [side.lengths + 1 for side in kept]
    cuts = _cuts(costs, room) if pack else np.arange(len(costs[0]) + 1)
    first, first_offsets = _segments(kept[0], cuts, specials.start, specials.end)
    second, second_offsets = _segments(kept[1], cuts, specials.end, specials.end)
    rows = len(cuts) - 1
    ids = np.empty(len(first) + len(second), dtype=np.int32)
    lengths = np.diff(first_offsets)
    ids[np.arange(len(first)) + np.repeat(second_offsets[:-1], lengths)] = first
    ids[np.arange(len(second)) + np.repeat(first_offsets[1:], np.diff(second_offsets))] = second
    return Instances(ids, first_offsets + second_offsets, lengths, np.tile(languages, (rows, 1))), left_out


def _fitting(sides: Sequence[Sentences], most: int) -> tuple[list[Sentences], int]:
    """Leave out what has an empty or too long side."""
    fits = np.logical_and.reduce([(side.lengths > 0) & (side.lengths <= most) for side in sides])
    if fits.all():
        return list(sides), 0
    rows = np.flatnonzero(fits)
    return [_take(side, rows) for side in sides], int((~fits).sum())


def _take(sentences: Sentences, rows: np.ndarray) -> Sentences:
    return joined([sentences.pieces[sentences.offsets[i] : sentences.offsets[i + 1]] for i in rows])


def _cuts(costs: Sequence[np.ndarray], room: int) -> np.ndarray:
    """Return where rows begin (and the end): each takes sentences until one more would exceed `room` on a side."""
    totals = [np.concatenate([[0], np.cumsum(side)]) for side in costs]
    cuts, end = [0], len(costs[0])
    while cuts[-1] < end:
        start = cuts[-1]
        cuts.append(min(int(np.searchsorted(t, t[start] + room, side="right")) - 1 for t in totals))
    return np.array(cuts)


def _segments(sentences: Sentences, cuts: np.ndarray, first: int, end: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the ids of `first a </s> b </s>` of all rows, end to end, and where rows begin."""
    ids = np.insert(sentences.pieces, sentences.offsets[1:], end)
    starts = (sentences.offsets + np.arange(len(sentences.offsets)))[cuts]
    return np.insert(ids, starts[:-1], first), starts + np.arange(len(starts))
