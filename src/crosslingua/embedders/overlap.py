"""Which of several overlapping windows shows a unit in most context."""

from __future__ import annotations

import numpy as np


def widest(windows: np.ndarray, units: np.ndarray) -> np.ndarray:
    """Return, for each unit (m, 2), the number of the window (n, 2) in which it has most context; -1 if it is in none.

    Both are stretches of pieces in order, the first and the one behind the last. The context of a unit is the lesser
    of those to its left and right, and 1% of the window's length for ties; the first of equal windows has the unit
    (run_squad.py).
    """
    best, owner = np.full(len(units), -np.inf), np.full(len(units), -1)
    for number, (start, stop) in enumerate(windows):
        inside = slice(np.searchsorted(units[:, 0], start), np.searchsorted(units[:, 1], stop, side="right"))
        context = np.minimum(units[inside, 0] - start, stop - units[inside, 1]) + 0.01 * (stop - start)
        better = context > best[inside]
        best[inside][better], owner[inside][better] = context[better], number
    return owner
