"""Marks beside numbers that a control equals, and counts of runs that came to nothing."""

import pandas as pd
import pytest

from crosslingua.report.controls import NIL_NOTE, NO_BETTER_NOTE, flagged, runs_at_nothing
from crosslingua.report.tables import MARKDOWN, Document, Grid, grid, html, latex, markdown, render

SYSTEMS, CONTROLS = ("good", "even", "dead", "random", "majority"), ("random", "majority")
VALUES = {  # of the systems, in each run
    "ana": ([80], [36], [40, 42, 2], [36], [0]),
    "→ ber": ([20], [30, 30], [30, 29], [25], [28]),
    "ber alone": ([70], [0.4], [60, 5.9], [], []),
    "B − A": ([-5], [-9], [-9], [3], [0]),
}


def shown() -> Grid:
    lines = [
        (system, column, float(value))
        for column, runs in VALUES.items()
        for system, values in zip(SYSTEMS, runs, strict=True)
        for value in values
    ]
    values = pd.DataFrame(lines, columns=["system", "column", "value"])
    controls = values["system"].isin(CONTROLS)
    return flagged(grid("F1.", values, unranked=CONTROLS), values, values[controls], ["B − A"])


def test_every_column_is_held_against_its_best_control_and_runs_at_nothing_are_counted() -> None:
    found = shown()
    assert {place: mark for place, mark in found.cells["mark"].items() if mark} == {
        ("even", "ana"): "‡",  # a tie with random vectors
        ("dead", "ana"): "‡ [1 nil]",  # 28 in the mean; 2 is under a tenth of 41
        ("good", "→ ber"): "‡ [1 nil]",  # below the most frequent answer
        ("dead", "→ ber"): "[1 nil]",  # 29 is a point above the most frequent answer
        ("even", "ber alone"): "[1 nil]",  # without a control
        ("dead", "ber alone"): "[1 nil]",  # 5.9 is under a tenth of 60
    }
    best = {place for place, is_best in found.best().items() if is_best}  # never what a control equals
    assert best == {("good", "ana"), ("even", "→ ber"), ("good", "ber alone"), ("good", "B − A")}


def test_each_format_has_the_marks_and_what_they_mean() -> None:
    assert "36.0 ‡" in render(shown(), MARKDOWN)
    for text in (make(Document("t", "T", (), [shown(), shown()])) for make in (markdown, latex, html)):
        assert text.count(NO_BETTER_NOTE) == text.count(NIL_NOTE) == 2


@pytest.mark.parametrize(
    ("values", "one_answer", "number"),
    [
        ([50, 51], 0, 0),
        ([50, 4.9], 0, 1),
        ([50, 5.1], 0, 0),
        ([1.0, 0.2], 0, 2),
        ([33, 52], 33.3, 1),
        ([34.2, 34.4, 52], 33.3, 1),
        ([], 0, 0),
    ],
)
def test_runs_at_nothing_by_hand(values: list[float], one_answer: float, number: int) -> None:
    assert runs_at_nothing(values, one_answer) == number
