"""Positive controls: a language mapped onto itself, which every mapper without a dictionary must solve."""

from collections.abc import Iterator

import pandas as pd

from crosslingua.lexicon_induction.degenerate import is_marked
from crosslingua.metrics import conditions
from crosslingua.report.tables import Grid, Published, Table, grid

SOLVED = 90.0  # percent of the words found again from which a control counts as solved
KINDS = {"other_seed": "another seed of training", "other_half": "the other half of the corpus"}
CAPTION = (
    "Percent of a language's words that are found again (P@1, CSLS) when its vectors are mapped onto other vectors of "
    "the same language without a dictionary, mean ± standard deviation over runs. "
    f"Solved: {SOLVED:g} or more. A mapper that fails here says nothing about pairs of languages."
)


def grids(rows: pd.DataFrame, published: Published) -> Iterator[Grid]:
    """Yield what is found again, and the percentage of runs that solve the control."""
    rows = controls(rows)
    yield grid("Words found again, %.", rows, columns=KINDS.values())
    solved = rows.assign(value=100.0 * (rows["value"] >= SOLVED))
    yield grid("Runs that solve the control, %.", solved, columns=KINDS.values(), decimals=0)
    noticed = rows[rows["value"] < SOLVED]
    noticed = noticed.assign(value=100.0 * noticed["signature"].map(is_marked))
    if len(noticed):
        note = "Of the runs that do not, those whose map is recognised as degenerate without a dictionary, %."
        yield grid(note, noticed, columns=KINDS.values(), decimals=0, bold=False)


def controls(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of controls, the kind of each as its column."""
    rows = rows[rows["table"] == "controls"]
    return rows.assign(column=rows["signature"].map(lambda text: KINDS[conditions(text)["control"]]))


def failed(rows: pd.DataFrame) -> list[str]:
    """Return the systems that solve less than nine in ten of their controls."""
    own = controls(rows) if (rows["table"] == "controls").any() else rows.iloc[:0]
    solved = (own["value"] >= SOLVED).groupby(own["system"], sort=False).mean()
    return [system for system, share in solved.items() if share < 0.9]


TABLE = Table("joint_align, controls: one language twice", CAPTION, grids)
