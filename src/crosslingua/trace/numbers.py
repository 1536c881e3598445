"""The metrics rows behind a table, chosen by words, with the place of each in the table and its lines of the plan."""

from __future__ import annotations

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

MARK = 1e-6  # the most that a mark is off
DATA = ["paper", "table", "system", "task", "source", "target"]
NAMED = [
    "table",
    "system",
    "task",
    "source",
    "target",
    "metric",
    "seed",
]  # not paper: a system may be called so


def numbers(records: Records, file: str, paper: str = "", table: Table | None = None) -> pd.DataFrame:
    """Return the rows of a file of rows, or those that `table` shows, each with `file` and `place`.

    `place` are the notes, systems and columns of the grids that have it: () without a table.
    Raises InputError where there are no rows beside the file.
    """
    folder = records.root / results_of(file) / "rows"
    whole = PurePath(file).parent.name != "rows"
    files = sorted(folder.glob(f"{paper or '*'}.*.csv")) if whole else [records.root / file]
    if not files:
        raise InputError(file, f"there are no metrics rows in {folder}")
    own = [read_rows(path).assign(file=path.name) for path in files]
    rows = pd.concat(own, ignore_index=True)
    if table is None:
        return rows.assign(place=[()] * len(rows))
    found = places(rows[rows["paper"] == paper], table)
    return rows.loc[sorted(found)].assign(place=[tuple(found[row]) for row in sorted(found)])


def results_of(file: str) -> PurePath:
    """Return the folder of results that a file lies in, or in a folder of."""
    folder = PurePath(file).parent
    return folder.parent if folder.name in ("tables", "rows", "claims") else folder


def places(rows: pd.DataFrame, table: Table) -> dict[int, list[str]]:
    """Return where `table` shows each row: the table is made of marked values, to see where they go.

    A mark is hardly off the value, since tables judge by some of them (coverage, what was learnt) what they show.
    """
    found: dict[int, list[str]] = {}
    marked = rows["value"] + MARK * np.random.default_rng(0).random(len(rows))
    for _, own in rows.assign(value=marked).groupby("seed"):
        row_of = {round(mark, 12): row for row, mark in own["value"].items()}
        for grid in table.grids(own, {}):
            for place, mark in grid.cells["mean"].dropna().items():
                if (row := row_of.get(round(mark, 12))) is not None:  # else a mean, a correlation
                    found.setdefault(row, []).extend((grid.note, *place))
    return found


def choose(rows: pd.DataFrame, words: Sequence[str]) -> pd.DataFrame:
    """Return the rows that all `words` name, of columns, signature or place; ConfigError where there are none."""
    known = [{word.casefold() for word in _words(row)} for _, row in rows.iterrows()]
    asked = [word.strip(" .").casefold() for word in words if word.strip()]
    legal = set().union(*known)
    for word in asked:
        if word not in legal:
            raise ConfigError(f"no number is called {word!r}{did_you_mean(word, sorted(legal))}")
    found = rows[[set(asked) <= names for names in known]]
    if found.empty:
        raise ConfigError(f"no number is called all of {', '.join(asked)}: without --cell all are listed")
    return found


def _words(row: pd.Series) -> list[str]:
    said = [*(f"{name}={row[name]}" for name in ("paper", *NAMED)), *row["signature"].split("|")]
    parts = [part.strip(" .") for label in row["place"] for part in label.split(",")]
    return [
        *(str(row[name]) for name in NAMED),
        *said,
        *(word.rpartition("=")[2] for word in said[1:]),
        *parts,
    ]


def with_lines(rows: pd.DataFrame, records: Records, results: PurePath) -> pd.DataFrame:
    """Return a line for each row and cell that it comes from, with `plan`, `line` and `scores`, and a `title`."""
    names = {f"{results}/plans/cells/{name}" for name in rows["file"]}
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
