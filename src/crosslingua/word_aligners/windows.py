"""Sequences longer than an encoder takes, as overlapping windows: none is cut in silence."""

from __future__ import annotations

from math import ceil

import numpy as np


def windows_needed(length: int, width: int) -> int:
    """Return how many windows of `width` cover `length` if each overlaps the next by at least half."""
    return 1 if length <= width else 1 + ceil((length - width) / max(1, width // 2))


def window_starts(length: int, width: int, count: int) -> list[int]:
    """Return the starts of `count` windows of `width`, evenly spread over `length`, the last one ending with it."""
    if count == 1:
        return [0]
    return [window * max(0, length - width) // (count - 1) for window in range(count)]


def best_window(length: int, width: int, starts: list[int]) -> np.ndarray:
    """Return, for each of `length` positions, the window in which it is farthest from an edge (the first of equals).

    The ends of the sequence itself are no edges: nothing is cut off there.
    """
    position, left = np.arange(length)[:, None], np.array(starts)[None, :]
    right = left + width - 1
    before = np.where((left > 0) | (position < left), position - left, length)
    after = np.where((right < length - 1) | (position > right), right - position, length)
    return np.minimum(before, after).argmax(axis=1)
