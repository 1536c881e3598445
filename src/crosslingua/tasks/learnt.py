"""Was a task learnt at all? Where it was not, transfer loses nothing for no good reason."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import mean

# Points above always giving the most frequent answer, up to which a task is not learnt: transfer could lose hardly more
# than that, however bad.
MARGIN = 10.0


def is_learnt(supervised: Sequence[float], floor: float | None) -> bool:
    """Whether a task was learnt: scores in the language that it was trained in are, in their mean, well above `floor`.

    That is the score of always giving the most frequent answer; None where it is not known.
    """
    return floor is None or mean(supervised) > floor + MARGIN
