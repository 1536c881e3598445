"""Positive controls of mappers without a dictionary: one language mapped onto itself, which each must solve.

A supervised upper line stands beside them. Where it fails, the vectors are too unlike for anyone, and the control does
not count. `standing` decides that for tables, warnings and claims.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import pandas as pd

from crosslingua.lexicon_induction.degenerate import is_marked
from crosslingua.metrics import conditions
from crosslingua.report.tables import Grid, Published, Table, grid

UPPER = "supervised"  # the upper line
SOLVED = 90.0  # percent of the words found again from which a run counts as solved
PASSED = 0.9  # of the runs, from which a control is passed
CONTROL_KINDS = {"other_seed": "another seed of training", "other_half": "the other half of the corpus"}
CAPTION = (
    "Percent of a language's words found again (P@1, CSLS), mean ± standard deviation over runs. Its vectors are "
    "mapped onto other vectors of the same language without a dictionary. "
    f"Solved: {SOLVED:g} or more. Passed: {PASSED:.0%} of the runs solved."
)
NOTES = (
    f"The upper line, `{UPPER}`, is Procrustes with every second word as its dictionary, tested on the other words. "
    "Mappers without a dictionary are tested on all words, and may exceed the upper line. A control does not count if "
    "the upper line fails. A mapper that fails a control that counts says nothing about pairs of languages."
)


@dataclass(frozen=True)
class Standing:
    """The controls that count, the controls that do not, and the systems that fail a counting control."""

    counting: tuple[str, ...]
    idle: tuple[str, ...]
    failed: tuple[str, ...]


def standing(values: pd.DataFrame) -> Standing:
    """Judge controls by runs: system, column (the kind of control), value (percent of the words found again)."""
    solved = (values["value"] >= SOLVED).groupby([values["column"], values["system"]], sort=False)
    passed = {place: share >= PASSED for place, share in solved.mean().items()}
    kinds = list(dict.fromkeys(kind for kind, _ in passed))
    counting = [kind for kind in kinds if passed.get((kind, UPPER), False)]
    failed = [system for (kind, system), well in passed.items() if kind in counting and not well]
    return Standing(
        tuple(counting), tuple(kind for kind in kinds if kind not in counting), tuple(dict.fromkeys(failed))
    )


def control_rows(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of controls, the kind of each as its column."""
    rows = rows[rows["table"] == "controls"]
    return rows.assign(column=rows["signature"].map(lambda text: CONTROL_KINDS[conditions(text)["control"]]))


def unable(rows: pd.DataFrame) -> tuple[str, ...]:
    """Return the systems that fail a control that counts."""
    return standing(control_rows(rows)).failed


def warn_of_controls(rows: pd.DataFrame) -> str:
    """Name the mappers that fail a control that counts."""
    names = ", ".join(unable(rows))
    told = f"Not to be ranked: {names}, which failed the control (one language twice; table of controls)."
    return told if names else ""


def _warn(rows: pd.DataFrame) -> str:
    """Say which controls do not count, and which systems fail counting controls."""
    found = standing(control_rows(rows))
    idle = f"Does not count, since the upper line fails it: {'; '.join(found.idle)}." if found.idle else ""
    counting = f"Counts: {'; '.join(found.counting)}." if found.counting else "No control counts."
    return " ".join(filter(None, (counting, idle, warn_of_controls(rows))))


def control_grids(rows: pd.DataFrame, published: Published) -> Iterator[Grid]:
    """Yield the words found again, and the percentage of runs that solve the control."""
    rows = control_rows(rows)
    columns, unranked = CONTROL_KINDS.values(), (UPPER, *standing(rows).idle)
    yield grid("Words found again, %.", rows, columns=columns, unranked=unranked)
    solved = rows.assign(value=100.0 * (rows["value"] >= SOLVED))
    yield grid("Runs that solve the control, %.", solved, columns=columns, decimals=0, unranked=unranked)
    noticed = rows[(rows["value"] < SOLVED) & (rows["system"] != UPPER)]
    noticed = noticed.assign(value=100.0 * noticed["signature"].map(is_marked))
    if len(noticed):
        note = "Of the runs that do not, those whose map is recognised as degenerate without a dictionary, %."
        yield grid(note, noticed, columns=columns, decimals=0, bold=False)


TABLE = Table("joint_align, controls: one language twice", CAPTION, control_grids, _warn, NOTES)
