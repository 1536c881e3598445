"""Many events at once: named arrays of equal length (structure of arrays)."""

from __future__ import annotations

import numpy as np


class Columns(dict[str, np.ndarray]):
    """Arrays of one length by name, e.g. "verb" or "subject.head"; concept -1 means absent."""

    @property
    def size(self) -> int:
        """Number of events."""
        return len(next(iter(self.values())))

    def take(self, rows: np.ndarray) -> Columns:
        """Return the events of `rows` (numbers or a mask), copied."""
        return Columns({name: values[rows] for name, values in self.items()})

    def copy(self) -> Columns:
        """Return a copy that shares no array."""
        return Columns({name: values.copy() for name, values in self.items()})

    def field(self, role: str) -> Columns:
        """Return the arrays of one noun phrase: `role.head` as "head", and so on."""
        prefix = role + "."
        return Columns({name[len(prefix) :]: v for name, v in self.items() if name.startswith(prefix)})

    def put(self, role: str, phrase: dict[str, np.ndarray], where: np.ndarray | None = None) -> None:
        """Set the noun phrase `role`, everywhere or in the masked events."""
        for name, values in phrase.items():
            key = f"{role}.{name}"
            self[key] = values if where is None else np.where(where, values, self[key])

    def put_rows(self, role: str, phrase: dict[str, np.ndarray], rows: np.ndarray) -> None:
        """Set the noun phrase `role` of these rows; `phrase` has one entry for each."""
        for name, values in phrase.items():
            self[f"{role}.{name}"][rows] = values

    def swap(self, first: str, second: str, where: np.ndarray) -> None:
        """Exchange two noun phrases in the masked events; adpositions stay with their roles."""
        exchange(self, first, self, second, where)


def exchange(one: Columns, first: str, other: Columns, second: str, where: np.ndarray) -> None:
    """Exchange phrase `first` of `one` and `second` of `other` in the masked events, adpositions apart."""
    a, b = one.field(first), other.field(second)
    kept = {name for name in a.keys() & b.keys() if name != "adposition"}
    one.put(first, {name: b[name] for name in kept}, where)
    other.put(second, {name: a[name] for name in kept}, where)
