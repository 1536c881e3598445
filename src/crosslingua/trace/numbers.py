"""The metrics rows behind a table, chosen by words, with the place of each in the table and its lines of the plan."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import PurePath

import numpy as np
import pandas as pd

from crosslingua.cells import read_cells
from crosslingua.errors import ConfigError, InputError
from crosslingua.metrics import read_rows
from crosslingua.names import did_you_mean
from crosslingua.report.tables import Table
from crosslingua.trace.records import Records

MARK, NEAR = 1e-4, 1e-11  # the most that a mark is off; the most that a difference of means is off it
DATA = ["paper", "table", "system", "task", "source", "target"]
NAMED = ["table", "system", "task", "source", "target", "metric", "seed"]  # systems are called as papers are


def numbers(records: Records, file: str, paper: str = "", table: Table | None = None) -> pd.DataFrame:
    """Return the rows of a file of rows, or those that `table` shows, each with `file` and `place`.

    `place` are the notes, systems and columns of the grids that have it: () without a table, and of all rows of a table
    that shows none as it is, only means or differences. Raises InputError where there are no rows beside the file.
    """
    files = rows_files(records, file, paper)
    if not files:
        raise InputError(file, "there are no metrics rows beside it")
    own = [read_rows(records.root / name).assign(file=name) for name in files]
    rows = pd.concat(own, ignore_index=True)
    found = places(rows[rows["paper"] == paper], table) if table else {}
    shown = rows.loc[sorted(found)] if found else rows
    return shown.assign(place=[tuple(found.get(row, ())) for row in shown.index])


def rows_files(records: Records, file: str, paper: str = "") -> list[str]:
    """Return the files of rows that a table's job read; of any other file, or one made elsewhere, all of the paper."""
    folder = results_of(file) / "rows"
    if PurePath(file).parent.name == "rows":
        return [file]
    job = records.job(file) if PurePath(file).parent.name == "tables" else None
    read = [name for name in job["input"] if PurePath(name).parent == folder] if job else []
    return read or [
        f"{folder}/{path.name}" for path in sorted((records.root / folder).glob(f"{paper or '*'}.*.csv"))
    ]


def results_of(file: str) -> PurePath:
    """Return the folder of results that a file lies in, or in a folder of."""
    folder = PurePath(file).parent
    return folder.parent if folder.name in ("tables", "rows", "claims") else folder


def places(rows: pd.DataFrame, table: Table) -> dict[int, list[str]]:
    """Return where `table` shows each row: the table is made again of marked values, a seed at a time.

    A number that is a mean over seeds moves by its share of one row's mark; one that is a mean over other rows, a
    difference or a correlation by no row's. A mark is hardly off the value, since tables judge by some of them
    (coverage, what was learnt) what they show.
    """
    found: dict[int, list[str]] = {}
    shown, random = {grid.note: grid.cells for grid in table.grids(rows, {})}, np.random.default_rng(0)
    for seed in rows["seed"].unique():
        own = rows.index[rows["seed"] == seed]
        marks = MARK * random.random(len(own))
        values = rows["value"].add(pd.Series(marks, own), fill_value=0.0)
        for grid in table.grids(rows.assign(value=values), {}):
            before = shown.get(grid.note, grid.cells)  # of equal values that are marked some tables show more
            moved = (grid.cells["mean"] - before["mean"]) * before["seeds"]
            for place, mark in moved.dropna().items():
                if abs(marks - mark).min() < NEAR:
                    found.setdefault(own[abs(marks - mark).argmin()], []).extend((grid.note, *place))
    return found


def choose(rows: pd.DataFrame, words: Sequence[str]) -> pd.DataFrame:
    """Return the rows that all `words` name, of columns, signature or place; ConfigError where there are none."""
    known = [Counter(word.casefold() for word in _words(row)) for _, row in rows.iterrows()]
    asked = Counter(word.strip(" .").casefold() for word in words if word.strip())
    legal = set().union(*known)
    for word in asked:
        if word not in legal:
            raise ConfigError(f"no number is called {word!r}{did_you_mean(word, sorted(legal))}")
    found = rows[[asked <= names for names in known]]
    if found.empty:
        raise ConfigError(f"no number is called all of {', '.join(asked)}: without --cell all are listed")
    return found


def _words(row: pd.Series) -> list[str]:
    said = [*(f"{name}={row[name]}" for name in ("paper", *NAMED)), *row["signature"].split("|")]
    parts = [part.strip(" .") for label in row["place"] for part in label.split(",")]
    return [*said, *(word.rpartition("=")[2] for word in said[1:]), *parts]


def with_lines(rows: pd.DataFrame, records: Records, results: PurePath) -> pd.DataFrame:
    """Return a line for each row and cell that it comes from, with `plan`, `line` and `scores`, and a `title`."""
    names = {f"{results}/plans/cells/{PurePath(name).name}" for name in rows["file"]}
    cells = pd.DataFrame(
        {name: getattr(cell, name) for name in (*DATA, "seed")}
        | {"metric": metric.partition("=")[0], "plan": plan, "line": line, "scores": [cell.score, cell.less]}
        | {"said": [f"{name}={value}" for name, value in cell.conditions.items()], "where": cell.where}
        for plan in sorted(names)
        for line, cell in enumerate(read_cells(records.root / plan), start=2)
        for metric in cell.metrics
    )
    found = rows.reset_index().merge(cells, on=[*DATA, "seed", "metric"])
    whole = [
        {*said, *filter(None, [where])} <= set(signature.split("|"))
        for said, where, signature in zip(found["said"], found["where"], found["signature"], strict=True)
    ]
    found = found[whole]
    titles = [",".join([*row[DATA[1:]], *row["said"]]) for _, row in found.iterrows()]
    return found.assign(title=titles)
