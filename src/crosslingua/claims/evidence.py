"""What claims are tested on: values for (language pair, system), one a seed and item.

A paper's `claims.py` reads them from its scored cells.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
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
    values: dict[str, dict[str, dict[int, Values]]] = field(
        default_factory=lambda: defaultdict(lambda: defaultdict(dict))
    )
    bounds: tuple[float, float] = (-inf, inf)

    def add(self, pair: str, system: str, seed: int, values: Values) -> None:
        """Keep one seed's values."""
        self.values[pair][system][seed] = values

    def restricted(self, pairs: Sequence[str]) -> Evidence:
        """Return the evidence on `pairs`, those of them that were measured; on all where `pairs` is empty.

        A pair may be a pattern: `ner.*`.
        """
        if not pairs:
            return self
        part = Evidence(self.unit, bounds=self.bounds)
        for pattern in pairs:
            for pair in self.values:
                if fnmatchcase(pair, pattern):
                    part.values[pair] = self.values[pair]
        return part

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
