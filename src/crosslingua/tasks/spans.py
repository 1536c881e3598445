"""The best answer of a passage that was read in windows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from crosslingua.embedders.overlap import widest
from crosslingua.tasks.passages import Window


@dataclass(frozen=True, order=True)
class Candidate:
    """Pieces first to last of a passage, with the sum of the scores of its ends."""

    score: float
    first: int
    last: int


def widest_context(windows: Sequence[Window]) -> list[np.ndarray]:
    """Return, for each window of one passage, which of its pieces have more context in it than in any other.

    See `widest`, which tells what context is (run_squad.py).
    """
    bounds = np.array([(window.start, window.stop) for window in windows])
    pieces = np.arange(bounds.max())
    owner = widest(bounds, np.stack([pieces, pieces + 1], axis=1))
    return [owner[window.start : window.stop] == number for number, window in enumerate(windows)]


def candidates(
    starts: np.ndarray, ends: np.ndarray, allowed: np.ndarray, first: int, n_best: int, longest: int
) -> list[Candidate]:
    """Return the best spans of a window, of the `n_best` best starts and ends of its part of the passage.

    `starts`, `ends` (n,): scores of the passage's pieces, the first of which is piece `first`; `allowed` (n,): where a
    span may begin. A span has at most `longest` pieces. No answer is none of them: there is always one.
    """
    begin = _best(np.where(allowed, starts, -np.inf), n_best)
    end = _best(ends, n_best)
    length = end[None, :] - begin[:, None] + 1
    scores = np.where(
        (length > 0) & (length <= longest), starts[begin][:, None] + ends[end][None, :], -np.inf
    )
    scores[~allowed[begin]] = -np.inf
    rows, columns = np.nonzero(np.isfinite(scores))
    if not len(rows) and allowed.any():  # every good end stands before every good start
        place = int(np.argmax(np.where(allowed, starts + ends, -np.inf)))
        return [Candidate(float(starts[place] + ends[place]), first + place, first + place)]
    order = np.argsort(-scores[rows, columns], kind="stable")[:n_best]
    return [
        Candidate(float(scores[r, c]), first + int(begin[r]), first + int(end[c]))
        for r, c in zip(rows[order], columns[order], strict=True)
    ]


def _best(scores: np.ndarray, number: int) -> np.ndarray:
    """Return the places of the highest scores, best first."""
    return np.argsort(-scores, kind="stable")[:number]


def n_best(found: Sequence[Candidate], number: int) -> list[Candidate]:
    """Return the best of all windows' candidates, each span once; of equal scores the first in the passage."""
    best: dict[tuple[int, int], Candidate] = {}
    for one in found:
        key = (one.first, one.last)
        if key not in best or one.score > best[key].score:
            best[key] = one
    return sorted(best.values(), key=lambda one: (-one.score, one.first, one.last))[:number]
