"""Controls that must fail, beside systems: which cells are no better than one, and which runs came to nothing."""

from collections.abc import Collection
from dataclasses import replace

import pandas as pd

from crosslingua.report.tables import Grid

NOTHING = 1.0  # points up to which a run has come to nothing
FEW = 0.1  # of the mean of a cell's other runs: with less, a run has come to nothing
NO_BETTER = "‡"
MAJORITY = "majority"  # the control that says what a run has that always gives one answer
SHORTCUT = "shortcut"  # the best reader without an encoder (tasks/shortcuts.py)
NO_BETTER_NOTE = f"{NO_BETTER}: no better than the best control or shortcut of its column; never bold."
NIL_NOTE = (
    f"[n nil]: n runs came to nothing, at {NOTHING:g} point or less, at what the most frequent answer has, or under "
    f"{FEW:.0%} of the mean of the other runs of its cell."
)


def flagged(
    shown: Grid,
    values: pd.DataFrame,
    floors: pd.DataFrame,
    skipped: Collection[str] = (),
    beside: Collection[str] = (),
) -> Grid:
    """Mark cells that are no better than a control, and do not rank these; mark cells with runs at nothing.

    `values` (systems) and `floors` (controls that must fail) have the columns system, column, value, a row a run. Both
    may be of another metric than the shown one. Columns that are no scores, where less is better or which are
    `skipped`, stay as they are. `beside` are controls that the grid itself shows, in the metric that is shown.
    """
    controls = {*floors["system"], *beside}
    means_shown = shown.cells["mean"].round(shown.decimals)
    rivals = means_shown[means_shown.index.get_level_values("system").isin(beside)].groupby("column").max()
    means = floors.groupby(["column", "system"])["value"].mean()
    best = means.groupby("column").max().round(shown.decimals)
    one_answer = means[means.index.get_level_values("system") == MAJORITY].droplevel("system")
    marks, weak = {}, set()
    for place, runs in values.groupby(["system", "column"])["value"]:
        system, column = place
        if system in controls or column in shown.lowest or column in skipped:
            continue
        nil = runs_at_nothing(list(runs), one_answer.get(column, NOTHING))
        no_better = round(runs.mean(), shown.decimals) <= best.get(column, -1.0)
        if no_better := bool(no_better or means_shown.get(place, 0.0) <= rivals.get(column, -1.0)):
            weak.add(place)
        marks[place] = " ".join([NO_BETTER] * no_better + [f"[{nil} nil]"] * bool(nil))
    if not any(marks.values()):
        return shown
    notes = [NO_BETTER_NOTE] * bool(weak) + [NIL_NOTE] * any("nil" in mark for mark in marks.values())
    cells = shown.cells.assign(mark=[marks.get(place, "") for place in shown.cells.index])
    footnote = " ".join([shown.footnote, *notes]).strip()
    return replace(shown, cells=cells, unranked=shown.unranked | weak, footnote=footnote)


def with_shortcut(rows: pd.DataFrame) -> pd.DataFrame:
    """Return metrics rows with a system `shortcut` added, one value a task, target and metric: `shortcut_METRIC`."""
    own = rows[rows["metric"].str.startswith(f"{SHORTCUT}_")].drop_duplicates(["task", "target", "metric"])
    own = own.assign(system=SHORTCUT, metric=own["metric"].str.removeprefix(f"{SHORTCUT}_"))
    return pd.concat([rows, own], ignore_index=True)


def runs_at_nothing(values: Collection[float], one_answer: float = NOTHING) -> int:
    """Return how many runs of a cell came to nothing; `one_answer` is what always giving the same answer has."""
    total, others = sum(values), len(values) - 1
    return sum(
        value <= max(NOTHING, one_answer) or (others > 0 and value < FEW * (total - value) / others)
        for value in values
    )
