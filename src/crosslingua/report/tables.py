"""Result tables: systems down, columns across, mean ± deviation over seeds, the paper's figure beside it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from crosslingua.errors import InputError
from crosslingua.report.reference import Key

Published = Mapping[Key, float]
MEAN = "mean"  # the column of means over all others


@dataclass(frozen=True)
class Grid:
    """A grid of numbers, and the sentence that names what sets it apart from the others of its table.

    `cells` has a row for each (system, column) in the order of the page, and the columns mean, deviation (sample
    standard deviation; none of one seed), seeds, and published where the paper has figures. A missing mean is what was
    not run. A column `mark`, where there is one, is a text that follows the number. In the columns `lowest` less is
    better. `bold` is off where a column's systems do not compete; `unranked` are columns whose best says nothing,
    systems that are controls, and single cells, as (system, column). `kinds` says of each system what kind it is, a
    column of the page that precedes the numbers. The page shows a table's first grid, and those `unfolded`.
    """

    note: str
    cells: pd.DataFrame
    lowest: frozenset[str] = frozenset()
    decimals: int = 1
    bold: bool = True
    unranked: frozenset[str | tuple[str, str]] = frozenset()
    kinds: Mapping[str, str] = field(default_factory=dict)
    unfolded: bool = False

    def best(self) -> pd.Series:
        """Return whether each cell's mean, as it is shown, is the best of its column."""
        shown = self.cells["mean"].map(f"{{:.{self.decimals}f}}".format).astype(float)
        systems, columns = (shown.index.get_level_values(name) for name in ("system", "column"))
        sign = [-1 if column in self.lowest else 1 for column in columns]
        cells = [cell in self.unranked for cell in shown.index]
        left_out = np.array(cells) | systems.isin(self.unranked) | columns.isin(self.unranked)
        competing = (shown * sign).where(self.bold & ~left_out)
        return competing.groupby(level="column").transform("max").eq(competing)


@dataclass(frozen=True)
class Table:
    """A table of a paper: `grids` makes it of metrics rows and of published numbers; `warn` says what to beware of."""

    title: str
    caption: str
    grids: Callable[[pd.DataFrame, Published], Iterable[Grid]]
    warn: Callable[[pd.DataFrame], str] = lambda rows: ""

    def build(self, rows: pd.DataFrame, published: Published) -> list[Grid]:
        """Return the grids that have a number of ours. Raises InputError if there is none."""
        found = [grid for grid in self.grids(rows, published) if not grid.cells.empty]
        if not found:
            raise InputError("metrics", f"no rows for {self.title}")
        return found


def grid(
    note: str,
    values: pd.DataFrame,
    published: Mapping[tuple[str, str], float] | None = None,
    *,
    columns: Iterable[str] = (),
    empty: Iterable[str] = (),
    lowest: Collection[str] = (),
    decimals: int = 1,
    bold: bool = True,
    unranked: Collection[str | tuple[str, str]] = (),
) -> Grid:
    """Summarise `values`, which have the columns system, column, value: one row a system, column and seed.

    Systems stand in the order of their first row, and so do columns, unless `columns` orders them; those without a
    value are left out, but for `empty`, which follow. `published` is by (system, column).
    """
    found = values.groupby(["system", "column"])["value"].agg(mean="mean", deviation="std", seeds="size")
    present = values["column"].unique()
    columns = [column for column in columns if column in present] or list(present)
    columns += [column for column in dict.fromkeys(empty) if column not in columns] if columns else []
    places = pd.MultiIndex.from_product([values["system"].unique(), columns], names=["system", "column"])
    cells = found.reindex(places)
    if published is not None:
        cells["published"] = [published.get(place) for place in places]
    return Grid(note, cells, frozenset(lowest), decimals, bold, frozenset(unranked))


def column_means(values: pd.DataFrame, by: Sequence[str]) -> pd.DataFrame:
    """Return the mean over the columns of `values`, as the column `mean`, of each group that has all of them.

    `by` are what tells groups apart, such as system and seed. There is none over a single column.
    """
    every = values["column"].nunique()
    groups = values.groupby(list(by), sort=False, dropna=False)["value"]
    found = groups.agg(value="mean", columns="size").reset_index()
    return found[(found["columns"] == every) & (every > 1)].drop(columns="columns").assign(column=MEAN)
