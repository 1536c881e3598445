"""Controls that must fail, beside systems: which cells are no better than one, and which runs came to nothing."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace

import pandas as pd

from crosslingua.evidence.participation import SHORTCUT, UPPER
from crosslingua.report.tables import Grid
from crosslingua.statistics.interval import beats

NOTHING = 1.0  # points above always giving one answer, up to which a run has come to nothing
FEW = 0.1  # of the mean of a cell's other runs: with less, a run has come to nothing
NO_BETTER = "‡"
MAJORITY = "majority"  # the control that says what a run has that always gives one answer
NO_BETTER_NOTE = (
    f"{NO_BETTER}: not above the best control or shortcut of its column, by the interval of 95%; never bold."
)
NIL_NOTE = (
    f"[n nil]: n runs came to nothing, at most {NOTHING:g} point above the most frequent answer, or under {FEW:.0%} of "
    "the mean of the other runs of its cell. Never bold if all runs did."
)


def flagged(
    shown: Grid,
    values: pd.DataFrame,
    floors: pd.DataFrame,
    skipped: Collection[str] = (),
    beside: tuple[pd.DataFrame, pd.DataFrame] | None = None,
) -> Grid:
    """Mark cells that do not beat a control, and cells with runs at nothing. Do not rank the first, nor cells whose
    runs all came to nothing.

    `values` (systems) and `floors` (controls that must fail) have the columns system, column, value, a row a run. Both
    may be of another metric than the shown one; `beside` are values and floors in the metric that is shown. Columns
    that are no scores, where less is better or which are `skipped`, stay as they are.
    """
    aside, every = {*shown.lowest, *skipped}, [(values, floors), *([beside] if beside else [])]
    controls = {system for _, of in every for system in of["system"]}
    scored = {
        place: list(runs)
        for place, runs in values.groupby(["system", "column"])["value"]
        if place[0] not in controls and place[1] not in aside
    }
    weak = {place for each in every for place in _no_better(*each)} & scored.keys()
    means = floors[floors["system"] == MAJORITY].groupby("column")["value"].mean()
    return with_nils(not_above(shown, weak), scored, means)


def _no_better(values: pd.DataFrame, floors: pd.DataFrame) -> Iterator[tuple[str, str]]:
    """Yield the cells (system, column) of `values` that do not beat each control of their column."""
    held = {
        column: [list(runs) for _, runs in of.groupby("system")["value"]]
        for column, of in floors.groupby("column")
    }
    for place, runs in values.groupby(["system", "column"])["value"]:
        if not all(beats(list(runs), control) for control in held.get(place[1], ())):
            yield place


def not_above(shown: Grid, places: Collection[tuple[str, str]], note: str = NO_BETTER_NOTE) -> Grid:
    """Mark cells (system, column) that are no better than a control, and do not rank them."""
    found = with_marks(shown, dict.fromkeys(places, NO_BETTER), note)
    return replace(found, unranked=found.unranked | set(places))


def places_not_above(shown: Grid) -> set[tuple[str, str]]:
    """Return the cells (system, column) that are marked as no better than a control."""
    marks = shown.cells["mark"] if "mark" in shown.cells else pd.Series(dtype=str)
    return {place for place, mark in marks.items() if NO_BETTER in mark}


def with_nils(
    shown: Grid, runs: Mapping[tuple[str, str], Collection[float]], one_answer: Mapping[str, float]
) -> Grid:
    """Mark cells by their number of runs at nothing, and do not rank a cell whose runs all are. `one_answer` is what
    always giving the same answer has, by column.
    """
    nils = {place: runs_at_nothing(values, one_answer.get(place[1], 0.0)) for place, values in runs.items()}
    dead = {place for place, nil in nils.items() if nil == len(runs[place])}
    marks = {place: f"[{nil} nil]" for place, nil in nils.items() if nil}
    return with_marks(replace(shown, unranked=shown.unranked | dead), marks, NIL_NOTE)


def with_marks(shown: Grid, marks: Mapping[tuple[str, str], str], note: str) -> Grid:
    """Add marks to cells of a grid, and a note that explains the marks, if there are any."""
    if not (marks := {place: mark for place, mark in marks.items() if place in shown.cells.index}):
        return shown
    before = shown.cells["mark"] if "mark" in shown.cells else pd.Series("", shown.cells.index)
    both = [f"{mark} {marks.get(place, '')}".strip() for place, mark in before.fillna("").items()]
    return replace(shown, cells=shown.cells.assign(mark=both), footnote=f"{shown.footnote} {note}".strip())


def with_shortcut(rows: pd.DataFrame) -> pd.DataFrame:
    """Return metrics rows with a system `shortcut` added, one value a task, target and metric: `shortcut_METRIC`."""
    own = rows[rows["metric"].str.startswith(f"{SHORTCUT}_")].drop_duplicates(["task", "target", "metric"])
    own = own.assign(system=SHORTCUT, metric=own["metric"].str.removeprefix(f"{SHORTCUT}_"))
    return pd.concat([rows, own], ignore_index=True)


def scores_of(rows: pd.DataFrame, table: str, metric: str) -> pd.DataFrame:
    """Return a table's rows of a metric, and those of the shortcut that learns from the language of training."""
    rows = rows[rows["table"] == table]
    shortcut = with_shortcut(rows[rows["system"] != UPPER])
    rows = pd.concat([rows, shortcut[shortcut["system"] == SHORTCUT]])
    return rows[rows["metric"] == metric]


def runs_at_nothing(values: Collection[float], one_answer: float = 0.0) -> int:
    """Return how many runs of a cell came to nothing; `one_answer` is what always giving the same answer has."""
    total, others = sum(values), len(values) - 1
    return sum(
        value <= one_answer + NOTHING or (others > 0 and value < FEW * (total - value) / others)
        for value in values
    )
