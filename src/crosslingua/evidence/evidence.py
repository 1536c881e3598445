"""The evidence of a measure: values by language pair, system, seed and test item."""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from statistics import fmean
from typing import Self

import numpy as np

from crosslingua.statistics.interval import UNBOUNDED, Crossed, share_interval

# One seed's values by item; an item is (source language, word), so that pairs with one source share their items.
Values = Mapping[tuple[str, str], float]


def numbered(name: str, values: Iterable[float]) -> Values:
    """Return the values of the items (name, number), such as a task's sentences."""
    return {(name, str(number)): float(value) for number, value in enumerate(values)}


def _empty() -> dict[str, dict[str, dict[int, Values]]]:
    return defaultdict(lambda: defaultdict(dict))


def renamed(system: str, names: Mapping[str, str]) -> str:
    """Return a system's name, `aligner+encoder@layer`, in which the parts that `names` has are replaced by theirs."""
    return re.sub(r"[^+@]+", lambda part: names.get(part[0], part[0]), system)


@dataclass
class Evidence:
    """Values of one measure: language pair -> system -> seed -> item -> value, in `unit`.

    `bounds` are the least and the greatest mean that one system can have. `failed` are runs (pair, system, seed) that
    failed, whose values are what they measured. `withheld` says of a pair and system why it takes part in no
    comparison. `controlled`: its systems were compared with controls, and those that are no better are withheld.
    `differences`: what stands as one system is a difference of two.
    """

    unit: str
    values: dict[str, dict[str, dict[int, Values]]] = field(default_factory=_empty)
    bounds: tuple[float, float] = UNBOUNDED
    failed: list[tuple[str, str, int]] = field(default_factory=list)
    withheld: dict[tuple[str, str], str] = field(default_factory=dict)
    controlled: bool = False
    differences: bool = False

    def add(self, pair: str, system: str, seed: int, values: Values) -> None:
        """Keep one seed's values, unless the system is withheld."""
        if (pair, system) not in self.withheld:
            self.values[pair][system][seed] = values

    def withhold(self, pair: str, system: str, reason: str) -> None:
        """Let a system take no part in comparisons of a pair; `reason` is what a sentence says of the system."""
        self.withheld[pair, system] = reason
        self.values[pair].pop(system, None)
        self.failed = [run for run in self.failed if run[:2] != (pair, system)]

    def restricted(self, pairs: Sequence[str]) -> Self:
        """Return the evidence on `pairs` (names, or patterns such as `ner.*`); on all where there are none."""
        if not pairs:
            return self

        def chosen(pair: str) -> bool:
            return any(fnmatchcase(pair, pattern) for pattern in pairs)

        return replace(
            self,
            values=_empty() | {pair: systems for pair, systems in self.values.items() if chosen(pair)},
            failed=[run for run in self.failed if chosen(run[0])],
            withheld={place: reason for place, reason in self.withheld.items() if chosen(place[0])},
        )

    def renamed(self, names: Mapping[str, str]) -> Self:
        """Return the evidence with parts of systems' names replaced; see `renamed`."""
        return replace(
            self,
            values=_empty()
            | {
                pair: {renamed(system, names): seeds for system, seeds in systems.items()}
                for pair, systems in self.values.items()
            },
            failed=[(pair, renamed(system, names), seed) for pair, system, seed in self.failed],
            withheld={
                (pair, renamed(system, names)): reason for (pair, system), reason in self.withheld.items()
            },
        )

    def by_run(self, runs: Mapping[int, int]) -> Self:
        """Return the evidence in which seeds that read one training of an encoder (`runs`) are one: their mean."""
        part = replace(self, values=_empty())
        for pair, systems in self.values.items():
            for system, seeds in systems.items():
                shared: defaultdict[int, list[Values]] = defaultdict(list)
                for seed, values in seeds.items():
                    shared[runs.get(seed, seed)].append(values)
                for run, each in shared.items():
                    part.add(pair, system, run, _mean(each))
        return part

    def converged(self, least: int) -> Self:
        """Return the evidence without failed runs, and systems of which, in a pair, fewer than `least` are left."""
        failed = set(self.failed)
        part = replace(self, values=_empty())
        for pair, systems in self.values.items():
            part.values[pair] = {}
            for name, runs in systems.items():
                kept = {seed: values for seed, values in runs.items() if (pair, name, seed) not in failed}
                if len(kept) >= min(least, len(runs)):
                    part.values[pair][name] = kept
        return part

    def failure_rates(self, systems: Collection[str], level: float = 0.95) -> dict[str, dict[str, float]]:
        """Return of each of `systems` how many `runs` `failed`, and the interval of the rate, `low` and `high` percent
        (Clopper and Pearson 1934). A system without a run has none.
        """
        failed = Counter(system for _, system, _ in {*self.failed})
        runs = Counter(name for of in self.values.values() for name, seeds in of.items() for _ in seeds)
        found = {}
        for name in sorted(runs.keys() & {*systems}):
            low, high = share_interval(failed[name], runs[name], level)
            found[name] = {"failed": failed[name], "runs": runs[name], "low": low, "high": high}
        return found

    def not_compared(self, systems: Collection[str]) -> tuple[str, ...]:
        """Say of each of `systems` that is withheld why, and in which pairs, if it is not in all."""
        reasons: dict[tuple[str, str], list[str]] = {}
        for (pair, name), reason in sorted(self.withheld.items()):
            if name in systems:
                reasons.setdefault((name, reason), []).append(pair)
        return tuple(
            f"{name} {reason}" + (f" ({', '.join(pairs)})" if {*pairs} != {*self.values} else "")
            for (name, reason), pairs in reasons.items()
        )

    def systems(self) -> set[str]:
        """The systems that every pair has, of the pairs that have any: in a pair all may be withheld."""
        found = [set(of) for of in self.values.values() if of]
        return set.intersection(*found) if found else set()

    def seeds(self, systems: Sequence[str]) -> list[int]:
        """The seeds that all `systems` have in every pair."""
        every = (set(of[system]) for of in self.values.values() for system in systems)
        return sorted(set.intersection(*every))

    def means(self, pair: str, system: str) -> list[float]:
        """The score of each run of a system in a pair."""
        return [fmean(values.values()) for values in self.values[pair][system].values() if values]

    def grid(
        self, pair: str, system: str, over: str | None, seeds: Sequence[int], beside: str | None = None
    ) -> Crossed:
        """Return values (seeds, items) of `system`, less those of `over`, on the items that all of them answered, and
        that `beside` answered.
        """
        runs = {name: self.values[pair][name] for name in (system, over, beside) if name}
        answered = [values[seed] for values in runs.values() for seed in seeds]
        items = [item for item in answered[0] if all(item in values for values in answered)]

        def table(name: str) -> np.ndarray:
            rows = [[runs[name][seed][item] for item in items] for seed in seeds]
            return np.array(rows, dtype=np.float64).reshape(len(seeds), len(items))

        return Crossed(items, table(system) - table(over) if over else table(system))


def _mean(runs: Sequence[Values]) -> Values:
    """Return the mean of several runs on the items that all of them answered."""
    if len(runs) == 1:
        return runs[0]
    common = [item for item in runs[0] if all(item in values for values in runs)]
    return {item: sum(values[item] for values in runs) / len(runs) for item in common}
