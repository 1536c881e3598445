"""The level of a verdict that was looked at before, with fewer seeds.

Who adds seeds where a comparison was left open, and looks again at 95%, is wrong more often than in 5%: with two looks
in up to 8%, with three in 11. Where each of K looks has the level that makes the error of all of them 5%, that level is
Pocock's (1977, table 1), for normal means and equal steps. Of few seeds that double (5, 10, 20) the error of all is
5.3% of two looks and 5.6% of three (the tests simulate it).
"""

from __future__ import annotations

from collections.abc import Sequence

from crosslingua.errors import ConfigError

POCOCK = (0.05, 0.0294, 0.0221, 0.0182, 0.0158)  # of each of 1, 2, ... looks, two-sided


def looks(seeds: int, earlier: Sequence[int]) -> int:
    """Return how often a statement that rests on `seeds` was looked at, this look included.

    `earlier` are the numbers of seeds at which verdicts were drawn: more seeds than one of them are a further look, as
    many the same.
    """
    return 1 + sum(number < seeds for number in earlier)


def level(number: int) -> float:
    """Return the confidence level of each of `number` looks. Raises ConfigError beyond five."""
    if number > len(POCOCK):
        raise ConfigError(f"{number} looks at one statement; levels are known of up to {len(POCOCK)}")
    return 1 - POCOCK[number - 1]
