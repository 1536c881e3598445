"""Rows of unequal length in one flat array, from which batches are cut without a loop in Python."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Self

import numpy as np


@dataclass(frozen=True)
class Ragged:
    """Row i is `values[offsets[i]:offsets[i + 1]]`; both are int64."""

    values: np.ndarray
    offsets: np.ndarray

    @classmethod
    def of(cls, rows: Iterable[Sequence[int]]) -> Self:
        """Pack sequences of integers."""
        rows = list(rows)
        values = np.fromiter(chain.from_iterable(rows), dtype=np.int64)
        return cls(values, offsets_of([len(row) for row in rows]))

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @cached_property
    def lengths(self) -> np.ndarray:
        """Length of each row."""
        return np.diff(self.offsets)

    def places(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return (places, mask), both (rows, longest): indices in `values`, 0 outside a row, and which are inside."""
        lengths = self.lengths[rows]
        columns = np.arange(lengths.max(initial=0))
        mask = columns < lengths[:, None]
        return np.where(mask, self.offsets[rows, None] + columns, 0), mask

    def padded(self, rows: np.ndarray, fill: int) -> np.ndarray:
        """Return `rows` as a matrix (rows, longest) with `fill` behind the shorter ones."""
        places, mask = self.places(rows)
        return np.where(mask, self.values[places], fill)

    def joined(self, rows: np.ndarray) -> np.ndarray:
        """Return the values of `rows` (repeats allowed), one row after the other."""
        lengths = self.lengths[rows]
        shift = self.offsets[rows] - offsets_of(lengths)[:-1]
        return self.values[np.arange(lengths.sum()) + np.repeat(shift, lengths)]


def offsets_of(lengths: Sequence[int] | np.ndarray) -> np.ndarray:
    """Return the starts of rows of these lengths, and the end of the last: (n + 1,)."""
    return np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])


def cut(order: np.ndarray, lengths: np.ndarray, most: int) -> Iterator[np.ndarray]:
    """Yield consecutive parts of `order`, rows of `lengths`, that with padding hold at most `most` values; a longer row
    stands alone.
    """
    start = longest = 0
    for end, length in enumerate(lengths[order].tolist()):
        longest = max(longest, length)
        if end > start and longest * (end + 1 - start) > most:
            yield order[start:end]
            start, longest = end, length
    if len(order):
        yield order[start:]
