"""Which sentences a share of a data set is: the same ones wherever a share is asked for."""

from __future__ import annotations

import numpy as np

from crosslingua.errors import ConfigError

SEED = 1


def shared_rows(size: int, part: float) -> np.ndarray:
    """Return the numbers, in order, of a random share of `size` sentences, at least one.

    Raises ConfigError unless 0 < part <= 1.
    """
    if not 0 < part <= 1:
        raise ConfigError(f"a share of {part}: must be above 0, and at most 1")
    return np.sort(np.random.default_rng(SEED).permutation(size)[: max(1, round(part * size))])
