"""Was a task learnt at all? Where it was not, transfer loses nothing for no good reason."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import mean

# Points above the accuracy of always giving the most frequent class, up to which a task is not learnt: transfer could
# lose hardly more than that, however bad.
MARGIN = 10.0


def is_learnt(supervised: Sequence[float], majority: float | None) -> bool:
    """Whether a derived language's task was learnt: supervised scores are, in their mean, well above `majority`.

    That is the accuracy of always giving the most frequent class; None for tagging, where no answer is as cheap.
    """
    return majority is None or mean(supervised) > majority + MARGIN
