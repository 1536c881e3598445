"""Which sequences an encoder reads for a batch of sentence pairs, and where in them each unit is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from crosslingua.errors import ConfigError
from crosslingua.word_aligners.windows import best_window, window_starts, windows_needed


@dataclass(frozen=True)
class Frame:
    """What stands around sentences: `first`, sentence, `last`, and in a joint sequence a second sentence and `last`.

    `limit` is the longest sequence with these, or None; `over_length` says what to do beyond it ("window" or
    "refuse").
    """

    first: list[int]
    last: list[int]
    limit: int | None
    over_length: str = "window"

    def __post_init__(self) -> None:
        if self.over_length not in ("window", "refuse"):
            raise ConfigError(f"over_length is {self.over_length!r}: say window or refuse")

    def widths(self, lengths: Sequence[int]) -> list[int]:
        """Return how much of each sentence fits in one sequence: all, or in proportion to the lengths."""
        room = sum(lengths)
        if self.limit is not None:
            room = self.limit - len(self.first) - len(lengths) * len(self.last)
        if sum(lengths) <= room:
            return list(lengths)
        if self.over_length == "refuse":
            raise ConfigError(
                f"sentences of {' and '.join(map(str, lengths))} subwords are too long for the encoder, which takes "
                f"{room}: shorten them, or let them be encoded in overlapping windows (--over-length window)"
            )
        if len(lengths) == 1:
            return [room]
        share = max(1, room * lengths[0] // sum(lengths))
        return [share, room - share]


@dataclass
class Layout:
    """Sequences of subwords with their token types, and (row, column) lists of the units, a list a sentence."""

    frame: Frame
    sequences: list[list[int]] = field(default_factory=list)
    types: list[list[int]] = field(default_factory=list)
    rows: list[list[int]] = field(default_factory=list)
    columns: list[list[int]] = field(default_factory=list)

    def add(self, sentences: Sequence[list[int]], types: Sequence[int]) -> None:
        """Add one sentence, or two that are encoded together, each with the type of its tokens.

        Windows of two sentences show the same relative stretch of both; a unit's vector is taken from the window
        in which it has most context.
        """
        lengths = list(map(len, sentences))
        widths = self.frame.widths(lengths)
        count = max(map(windows_needed, lengths, widths))
        starts = [window_starts(length, width, count) for length, width in zip(lengths, widths, strict=True)]
        self._place(lengths, widths, starts)
        for window in zip(*starts, strict=True):
            self._append([s[a : a + w] for s, a, w in zip(sentences, window, widths, strict=True)], types)

    def _place(self, lengths: list[int], widths: list[int], starts: list[list[int]]) -> None:
        row, column = len(self.sequences), len(self.frame.first)
        for length, width, start in zip(lengths, widths, starts, strict=True):
            if len(start) == 1:
                self.rows.append([row] * length)
                self.columns.append(list(range(column, column + length)))
            else:
                window = best_window(length, width, start)
                self.rows.append((row + window).tolist())
                self.columns.append((column + np.arange(length) - np.array(start)[window]).tolist())
            column += min(length, width) + len(self.frame.last)

    def _append(self, parts: Sequence[list[int]], types: Sequence[int]) -> None:
        sequence, kinds = list(self.frame.first), [types[0]] * len(self.frame.first)
        for part, kind in zip(parts, types, strict=True):
            sequence += part + self.frame.last
            kinds += [kind] * (len(part) + len(self.frame.last))
        self.sequences.append(sequence)
        self.types.append(kinds)
