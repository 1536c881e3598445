"""Which sequences an encoder reads for a batch of sentence pairs, and where in them each unit is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from crosslingua.errors import ConfigError
from crosslingua.word_aligners.windows import best_window, window_starts, windows_needed


@dataclass(frozen=True)
class Template:
    """What stands around the sentences of a sequence, one or two: special tokens before, (between,) and after.

    `limit` is the longest sequence with these, or None; `over_length` says what to do beyond it ("window" or
    "refuse").
    """

    specials: list[list[int]]
    limit: int | None
    over_length: str = "window"

    def __post_init__(self) -> None:
        if self.over_length not in ("window", "refuse"):
            raise ConfigError(f"over_length is {self.over_length!r}: say window or refuse")

    def widths(self, lengths: Sequence[int]) -> list[int]:
        """Return how much of each sentence fits in one sequence: all, or in proportion to the lengths."""
        room = sum(lengths)
        if self.limit is not None:
            room = self.limit - sum(map(len, self.specials))
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
    """Sequences of subwords with token types and positions, and (row, column) lists of the units, a list a sentence.

    `positions` are those in a sentence's share of the sequence, each from 0.
    """

    frame: Template
    sequences: list[list[int]] = field(default_factory=list)
    types: list[list[int]] = field(default_factory=list)
    positions: list[list[int]] = field(default_factory=list)
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
        row, column = len(self.sequences), len(self.frame.specials[0])
        after = self.frame.specials[1:]
        for length, width, start, specials in zip(lengths, widths, starts, after, strict=True):
            if len(start) == 1:
                self.rows.append([row] * length)
                self.columns.append(list(range(column, column + length)))
            else:
                window = best_window(length, width, start)
                self.rows.append((row + window).tolist())
                self.columns.append((column + np.arange(length) - np.array(start)[window]).tolist())
            column += min(length, width) + len(specials)

    def _append(self, parts: Sequence[list[int]], types: Sequence[int]) -> None:
        """Add a sequence. The first special token after a sentence is that sentence's, any other the next one's."""
        first, *after = self.frame.specials
        shares = [list(first)]
        for part, specials in zip(parts, after, strict=True):
            shares[-1] += part + specials[:1]
            shares.append(specials[1:])
        shares[-2:] = [shares[-2] + shares[-1]]
        self.sequences.append([number for share in shares for number in share])
        self.types.append([own for own, share in zip(types, shares, strict=True) for _ in share])
        self.positions.append([place for share in shares for place in range(len(share))])
