"""Judge two systems by their values, outside any paper: is the first better, by how much, and how surely?

The statement is "the first is better", and its judge is that of claims (`verdict`): the interval covers seeds and items
of the difference. A verdict speaks of other training runs, so fewer than three seeds give none.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from crosslingua.arrays import real_array
from crosslingua.claims.statements import MIN_SEEDS, SMALLEST, Claim, Comparison, Region
from crosslingua.claims.verdict import CONTRADICTED, NEGLIGIBLE, REPRODUCED, LeftOut, judge
from crosslingua.errors import ConfigError
from crosslingua.evidence.evidence import Evidence

Runs = Mapping[Any, Mapping[Any, float]] | Sequence[Any]  # seed -> item -> value, or (seeds, items)
BETTER, WORSE, LEVEL, UNDECIDED = "better", "worse", "negligible", "inconclusive"
TOLD = {REPRODUCED: BETTER, CONTRADICTED: WORSE, NEGLIGIBLE: LEVEL}
PAIR, FIRST, SECOND = "both", "first", "second"


@dataclass(frozen=True)
class TwoSystems:
    """The `verdict` on the first of two systems: better, worse, negligible or inconclusive.

    `effect` is the mean of the first less that of the second, with its 95 % interval `low` to `high`. `seeds` and
    `items` are the numbers of those that both have. Of one seed the interval is over items alone. `reason` is empty
    but where too few seeds give no verdict.
    """

    verdict: str
    effect: float
    low: float
    high: float
    seeds: int
    items: int
    reason: str = ""

    def __str__(self) -> str:
        why = f" ({self.reason})" if self.reason else ""
        runs = "1 run" if self.seeds == 1 else f"{self.seeds} runs"
        interval = f"{self.effect:+.2f} [{self.low:.2f}, {self.high:.2f}]"
        return f"{self.verdict}{why}: {interval} over {self.items} items, {runs}"


def judge_two(first: Runs, second: Runs, smallest: float = 0.0) -> TwoSystems:
    """Return whether the first of two systems is better on the seeds and items that both have.

    `smallest` is the effect of interest: a difference that is surely smaller is negligible. Raises ConfigError for
    values that are no numbers, and where nothing is in common.
    """
    if not isinstance(smallest, (int, float)) or not 0 <= smallest < float("inf"):
        raise ConfigError(f"smallest is {smallest!r:.40}: give a number of 0 or more")
    evidence = Evidence("")
    given = {FIRST: _runs(first, FIRST), SECOND: _runs(second, SECOND)}
    numbers = {seed: number for number, seed in enumerate(dict.fromkeys([*given[FIRST], *given[SECOND]]))}
    for name, runs in given.items():
        for seed, values in runs.items():
            evidence.add(PAIR, name, numbers[seed], values)
    claim = Claim(
        claim="first_is_better", paper="", source="", statement="The first is better.", test="", measure="value",
        comparisons=(Comparison(FIRST, SECOND),), holds=Region(above=float(smallest)), threshold=SMALLEST,
        smallest=float(smallest),
    )  # fmt: skip
    found = judge(claim, {("value", "all"): evidence})
    if isinstance(found, LeftOut):
        raise ConfigError(f"the two systems cannot be compared: {found.reason}")
    shown, spread = found.decisive, found.decisive.spread
    interval = shown.at(shown.level)
    reason = found.reason if spread.seeds < MIN_SEEDS else ""
    verdict = TOLD.get(found.verdict, UNDECIDED)
    return TwoSystems(
        verdict, interval.effect, interval.low, interval.high, spread.seeds, spread.items, reason
    )


def _runs(given: Runs, name: str) -> dict[Any, Any]:
    """Return values by seed and item, seeds and items of an array by their numbers."""
    if isinstance(given, Mapping):
        for seed, values in given.items():
            if not isinstance(values, Mapping):
                raise ConfigError(f"{name}: the values of seed {seed!r} are no mapping from items to values")
            real_array([*values.values()], f"{name}, seed {seed!r}", 1, finite=True)
        return dict(given)
    rows = real_array(given, name, 2, finite=True)
    return {seed: {item: float(value) for item, value in enumerate(row)} for seed, row in enumerate(rows)}
