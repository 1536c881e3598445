"""Choose among settings by what they get right on held-out items, without hanging on one or two of these.

One-standard-error rule (Breiman et al. 1984, section 3.4.3; Hastie et al. 2009, section 7.10), on paired items: of the
candidates whose mean falls short of the best one's by at most one standard error of the difference, the first counts.
So candidates stand in the order of preference, the published one first.
"""

from collections.abc import Hashable, Mapping, Sequence
from typing import TypeVar

import numpy as np

Candidate = TypeVar("Candidate", bound=Hashable)


def one_standard_error(scores: Mapping[Candidate, Sequence[float]]) -> Candidate:
    """Return the first candidate that is within one standard error of the best.

    `scores` are each candidate's values of the same items (n,), in the order of preference. A candidate that is the
    best itself, or differs from it on no item, is within.
    """
    values = {name: np.asarray(items, dtype=np.float64) for name, items in scores.items()}
    best = max(values, key=lambda name: values[name].mean())
    return next(name for name in values if _within(values[best] - values[name]))


def _within(lost: np.ndarray) -> bool:
    """Whether the mean of differences (n,) is at most its standard error, sd / sqrt(n); one item has none."""
    if len(lost) < 2:
        return not lost.any()
    error = lost.std(ddof=1) / np.sqrt(len(lost))
    return bool(lost.mean() <= error * (1 + 1e-9))  # one query that differs is within, whatever rounding says
