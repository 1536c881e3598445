"""Checks of what a program gives to functions of the library: arrays, whole numbers, pairs."""

from collections.abc import Iterable, Iterator, Sequence
from numbers import Integral
from typing import Any

import numpy as np

from crosslingua.errors import ConfigError


def real_array(values: Any, name: str, dimensions: int, *, finite: bool = False) -> np.ndarray:
    """Return `values` as an array of so many dimensions. Raises ConfigError for anything but real numbers, for another
    number of dimensions and, if `finite`, for NaN and infinity.
    """
    try:
        array = np.asarray(values)
        is_real = array.dtype.kind in "fiub"
    except ValueError:  # rows of unequal length
        is_real = False
    if not is_real:
        raise ConfigError(f"{name}: {' '.join(repr(values).split()):.60} is no array of real numbers")
    if array.ndim != dimensions:
        raise ConfigError(f"{name} has {array.ndim} dimensions {array.shape}: give {dimensions}")
    if finite and not np.isfinite(array).all():
        raise ConfigError(f"{name} holds NaN or infinity: leave these values out")
    return array


def check_whole(value: Any, name: str, least: int = 0) -> None:
    """Raise ConfigError unless `value` is a whole number from `least`."""
    if not isinstance(value, Integral) or value < least:
        raise ConfigError(f"{name} is {value!r:.60}: give a whole number from {least}")


def token_pairs(pairs: Iterable[Any]) -> Iterator[tuple[Any, Any]]:
    """Yield sentence pairs. Raises ConfigError for what is no pair, and for text, whose letters would be tokens."""
    for pair in pairs:
        sides = pair if isinstance(pair, Sequence) and not isinstance(pair, str) else ()
        if len(sides) != 2 or any(isinstance(side, str) or not isinstance(side, Sequence) for side in sides):
            raise ConfigError(f"{pair!r:.60} is no pair of sentences: give two lists of words")
        yield sides[0], sides[1]


def word_pairs(pairs: Iterable[Any]) -> Iterator[tuple[str, str]]:
    """Yield pairs of words. Raises ConfigError for what is no pair, and for text, whose letters would be words."""
    for pair in pairs:
        if isinstance(pair, str) or not all(isinstance(word, str) for word in pair) or len(pair) != 2:
            raise ConfigError(f"{pair!r:.60} is no pair (source word, target word)")
        yield pair[0], pair[1]
