"""The rows of a table, by the words that somebody names a number with, and the plan's lines that they come from."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from crosslingua.cells import Cell, read_cells
from crosslingua.errors import ConfigError
from crosslingua.names import did_you_mean
from crosslingua.report.tables import Table

NAMED = ["table", "system", "task", "source", "target", "metric", "seed"]  # not paper: one has a system's name
CELL = ("paper", "table", "system", "task", "source", "target", "seed")  # what a cell and its rows both say
Labels = Mapping[int, Sequence[str]]


def labels_of(rows: pd.DataFrame, table: Table) -> dict[int, list[str]]:
    """Return, for each row that `table` shows, where: the grid's note, the system and the column, of each place.

    Every value is replaced by one of its own, and the table made: where that stands, the row does. Means over rows of
    one seed are of no single row.
    """
    marks = np.random.default_rng(0).random(len(rows))
    found: dict[int, list[str]] = defaultdict(list)
    for _, own in rows.assign(value=marks).groupby("seed"):
        row_of = {round(value, 12): row for row, value in own["value"].items()}
        for grid in table.grids(own, {}):
            for place, value in grid.cells["mean"].dropna().items():
                if (row := row_of.get(round(value, 12))) is not None:
                    found[row] += [label for label in (grid.note, *place) if label not in found[row]]
    return dict(found)


def words_of(row: pd.Series, labels: Sequence[str] = ()) -> list[str]:
    """Return the words that name a row: its columns, what its signature says, and `labels`, which commas divide too."""
    columns = [str(row[name]) for name in NAMED]
    signature = row["signature"].split("|")
    values = [part.rpartition("=")[2] for part in signature]
    parts = [part.strip(" .") for label in labels for part in label.split(",")]
    named = [f"{name}={row[name]}" for name in ("paper", *NAMED)]
    return [*columns, *named, *signature, *values, *parts]


def choose(rows: pd.DataFrame, words: Sequence[str], labels: Labels) -> pd.DataFrame:
    """Return the rows that all of `words` name, upper or lower case.

    Raises ConfigError for a word that names none, with the closest that does.
    """
    known = [{word.casefold() for word in words_of(row, labels.get(i, ()))} for i, row in rows.iterrows()]
    asked = [word.strip(" .").casefold() for word in words if word.strip(" .")]
    legal = set().union(*known)
    for word in asked:
        if word not in legal:
            raise ConfigError(f"no cell has {word!r}{did_you_mean(word, sorted(legal))}")
    found = rows[[set(asked) <= names for names in known]]
    if found.empty:
        raise ConfigError(f"no cell has all of {', '.join(asked)}; without --cell all are listed")
    return found


def short_words(rows: pd.DataFrame) -> list[str]:
    """Return, for each row, words that tell it from the others but those of other seeds: as few columns as it takes."""
    signatures = pd.DataFrame([_parts(text) for text in rows["signature"]], rows.index)
    fields = rows[["system", "source", "target", "task", "metric"]].join(signatures).assign(table=rows["table"])
    chosen: list = []
    for name in fields:
        if len(fields[[*chosen, name]].drop_duplicates()) > len(fields[chosen].drop_duplicates() if chosen else [0]):
            chosen.append(name)
    return fields[chosen].apply(lambda row: ",".join(row.dropna()), axis=1).tolist()


def _parts(signature: str) -> dict[str | int, str]:
    """Return the parts of a signature by name, or by place where they have none."""
    parts = signature.split("|")
    return {part.partition("=")[0] if "=" in part else place: part for place, part in enumerate(parts)}


@dataclass(frozen=True)
class Found:
    """The rows of one system, data and seed, which differ in metric or convention, and the cells that they fill.

    `lines` are those of the plans that have the cells; `name` are words that choose the rows.
    """

    name: str
    rows: pd.DataFrame
    cells: Sequence[Cell]
    lines: Mapping[str, Collection[int]]


def sources(rows: pd.DataFrame, root: Path, plans: Sequence[str]) -> dict[str, list[Found]]:
    """Return what rows come from, seed by seed, under the words that name system and data.

    `plans` are files of cells, as the workflow names them in `root`.
    """
    planned: dict[tuple, list[tuple[str, int, Cell]]] = defaultdict(list)
    for plan in plans:
        for number, cell in enumerate(read_cells(root / plan), start=2):
            planned[tuple(getattr(cell, name) for name in CELL)].append((plan, number, cell))
    groups: dict[tuple[str, int], list] = defaultdict(list)
    for i, row in rows.iterrows():
        own = [one for one in planned[tuple(row[list(CELL)])] if _fills(one[2], row)]
        said = sorted({value for *_, cell in own for value in cell.conditions.values()})
        groups[",".join([*row[list(CELL[1:-1])], *said]), row["seed"]].append((i, own))
    found: dict[str, list[Found]] = defaultdict(list)
    for (name, _), parts in sorted(groups.items(), key=lambda item: item[0][1]):
        found[name].append(_found(name, rows.loc[[i for i, _ in parts]], [one for _, own in parts for one in own]))
    return dict(found)


def _found(name: str, rows: pd.DataFrame, own: Sequence[tuple[str, int, Cell]]) -> Found:
    cells = {(plan, number): cell for plan, number, cell in own}
    lines: dict[str, list[int]] = defaultdict(list)
    for plan, number in cells:
        lines[plan].append(number)
    return Found(name, rows, list(cells.values()), lines)


def _fills(cell: Cell, row: pd.Series) -> bool:
    metrics = {metric.partition("=")[0] for metric in cell.metrics}
    said = {f"{name}={value}" for name, value in cell.conditions.items()} | ({cell.where} - {""})
    return row["metric"] in metrics and said <= set(row["signature"].split("|"))
