"""Sentence pairs to batches of about equal lengths, in constant memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import TypeVar

T = TypeVar("T")


def pools(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """Yield `items` in lists of `size`, the last one shorter."""
    stream = iter(items)
    while pool := list(islice(stream, size)):
        yield pool


def buckets(lengths: Sequence[tuple[int, int]], tokens: int) -> list[list[int]]:
    """Divide pairs of `lengths` (source, target) into lists of their numbers, alike in length.

    Padded to its longest source and target, a list has at most `tokens` units, or is one pair that is longer.
    Longest first: memory is at its peak at once.
    """
    order = sorted(range(len(lengths)), key=lambda k: (-(lengths[k][0] // 4), -lengths[k][1]))
    result: list[list[int]] = []
    longest = (0, 0)
    for number in order:
        wider = tuple(map(max, longest, lengths[number]))
        if not result or sum(wider) * (len(result[-1]) + 1) > tokens:
            result.append([])
            wider = lengths[number]
        result[-1].append(number)
        longest = wider
    return result
