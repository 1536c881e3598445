"""What claims are tested on: values for (language pair, system), one a seed and item.

A paper's `claims.py` reads them from its scored cells.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from math import inf

import numpy as np

from crosslingua.claims.interval import Crossed

# One seed's values by item; an item is (source language, word), so that pairs with one source share their items.
Values = Mapping[tuple[str, str], float]


@dataclass
class Evidence:
    """Values of one measure: language pair -> system -> seed -> item -> value, in `unit`.

    `bounds` are the least and the greatest mean that there can be: an interval is cut there.
    """

    unit: str
    values: dict[str, dict[str, dict[int, Values]]] = field(default_factory=lambda: _empty())
    bounds: tuple[float, float] = (-inf, inf)
    failed: list[tuple[str, str, int]] = field(
        default_factory=list
    )  # runs without a value: pair, system, seed
    unlearnt: list[tuple[str, str]] = field(
        default_factory=list
    )  # pair, system: learnt nothing to be compared

    learners: Mapping[str, Collection[str]] = field(
        default_factory=dict
    )  # pair: systems that learnt it; of no pair that is not named is that known

    def add(self, pair: str, system: str, seed: int, values: Values) -> None:
        """Keep one seed's values."""
        self.values[pair][system][seed] = values

    def restricted(self, pairs: Sequence[str]) -> Evidence:
        """Return the evidence on `pairs`, those of them that were measured; on all where `pairs` is empty.

        A pair may be a pattern: `ner.*`.
        """
        if not pairs:
            return self

        def chosen(pair: str) -> bool:
            return any(fnmatchcase(pair, pattern) for pattern in pairs)

        part = replace(
            self,
            values=_empty(),
            failed=[run for run in self.failed if chosen(run[0])],
            unlearnt=[one for one in self.unlearnt if chosen(one[0])],
        )
        part.values.update({pair: systems for pair, systems in self.values.items() if chosen(pair)})
        return part

    def learnt_by(self, systems: Collection[str]) -> Evidence:
        """Return the evidence without pairs that none of `systems` learnt: between these nothing is compared there."""
        part = replace(self, values=_empty())
        for pair, values in self.values.items():
            if pair not in self.learners or not {*systems}.isdisjoint(self.learners[pair]):
                part.values[pair] = values
        return part

    def by_run(self, runs: Mapping[int, int]) -> Evidence:
        """Return the evidence in which the seeds that read one training of an encoder are one: their mean.

        `runs` says which training each seed reads; a seed that it lacks has its own.
        """
        part = replace(self, values=_empty())
        for pair, systems in self.values.items():
            for system, seeds in systems.items():
                shared: defaultdict[int, list[Values]] = defaultdict(list)
                for seed, values in seeds.items():
                    shared[runs.get(seed, seed)].append(values)
                for run, each in shared.items():
                    part.add(pair, system, run, _mean(each))
        return part

    def reliable(self, least: int) -> Evidence:
        """Return the evidence without systems of which, in a pair, runs failed and fewer than `least` are left.

        They would take their seeds from all that they are judged with.
        """
        failed = {(pair, system) for pair, system, _ in self.failed}
        part = replace(self, values=_empty())
        for pair, systems in self.values.items():
            part.values[pair] = {
                name: runs
                for name, runs in systems.items()
                if (pair, name) not in failed or len(runs) >= least
            }
        return part

    def left_out(self, systems: Collection[str]) -> tuple[str, ...]:
        """Say of each of `systems` how many of its runs failed, and are left out."""
        counts = Counter(system for _, system, _ in self.failed if system in systems)
        return tuple(
            f"{name}: {number} failed run{'s' * (number > 1)}" for name, number in sorted(counts.items())
        )

    def not_learnt(self, systems: Collection[str]) -> tuple[str, ...]:
        """Say of each of `systems` where it learnt nothing to be compared."""
        return tuple(f"{name} learnt too little ({pair})" for pair, name in self.unlearnt if name in systems)

    def systems(self) -> set[str]:
        """The systems that every pair has."""
        return set.intersection(*(set(found) for found in self.values.values())) if self.values else set()

    def seeds(self, systems: Sequence[str]) -> list[int]:
        """The seeds that all `systems` have in every pair."""
        return sorted(
            set.intersection(*(set(of[system]) for of in self.values.values() for system in systems))
        )

    def grid(self, pair: str, system: str, over: str | None, seeds: Sequence[int]) -> Crossed:
        """Return values (seeds, items) of `system`, less those of `over`, on the items that all of them answered."""
        columns = [self.values[pair][name][seed] for name in (system, over) if name for seed in seeds]
        items = [item for item in columns[0] if all(item in column for column in columns)]
        table = np.array([[column[item] for item in items] for column in columns], dtype=np.float64)
        table = table.reshape(len(columns), len(items))
        return Crossed(items, table[: len(seeds)] - table[len(seeds) :] if over else table)


def _empty() -> dict[str, dict[str, dict[int, Values]]]:
    return defaultdict(lambda: defaultdict(dict))


def _mean(runs: Sequence[Values]) -> Values:
    """Return the mean of several runs on the items that all of them answered."""
    common = [item for item in runs[0] if all(item in values for values in runs)]
    return {item: sum(values[item] for values in runs) / len(runs) for item in common}
