"""Was a task learnt at all? Where it was not, transfer loses nothing for no good reason."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import mean

# Points above always giving the most frequent answer, up to which a task is not learnt: transfer could lose hardly more
# than that, however bad.
MARGIN = 10.0
# The same as a share of what chance leaves of three classes. It is asked for of what random weights leave, which in
# tagging is little: many tags need no pre-training.
SHARE = 0.15


def is_learnt(supervised: Sequence[float], floor: float | None) -> bool:
    """Whether a task was learnt: scores in the language that it was trained in are, in their mean, well above `floor`.

    That is the score of always giving the most frequent answer; None where it is not known.
    """
    return floor is None or mean(supervised) > floor + MARGIN


def gains_by_pretraining(supervised: Sequence[float], untrained: Sequence[float]) -> bool:
    """Whether an encoder brings something to a task: in percent, means well above those of random weights, tuned alike.

    One that does not has nothing to lose in transfer: what it loses is what fine-tuning alone would.
    """
    floor = mean(untrained)
    return mean(supervised) > floor + SHARE * (100 - floor)
