"""How rows of lexicon induction are read: the rule for out-of-vocabulary words that leads, and failed runs.

The paper's program counts a source word without a pair in vocabulary as right if the word is its own translation, and
as wrong otherwise. Where many words lack a vector, this measures spelling. There MUSE's rule, which skips them, leads.
"""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import pandas as pd

from crosslingua.lexicon_induction import COVERED
from crosslingua.lexicon_induction.degenerate import is_marked
from crosslingua.metrics import conditions
from crosslingua.report.controls import not_above, with_marks, with_nils
from crosslingua.report.tables import Grid, grid
from crosslingua.statistics.interval import beats

SPELLED, SPELLING = "spelled_alike", "spelling"  # a metric, and the control that has it as its precision


def leading(coverage: Iterable[float]) -> str:
    """Return the rule that leads, `paper` or `muse`: the coverage (0-100) of the pair and system with least decides."""
    return "muse" if min(coverage, default=100.0) < COVERED else "paper"


def condition(rows: pd.DataFrame, name: str, default: str | None) -> pd.Series:
    """Return a condition of each row's signature."""
    return rows["signature"].map(lambda signature: conditions(signature).get(name, default))


def pair_columns(rows: pd.DataFrame) -> pd.Series:
    """Name each row's column: `en-de`, with the dictionary where one pair is tested with several."""
    pairs = rows["source"] + "-" + rows["target"]
    dictionaries = condition(rows, "dictionary", "")
    several = dictionaries.groupby(pairs).transform("nunique") > 1
    return pairs.mask(several, pairs + " (" + dictionaries + ")")


def warn_of_coverage(rows: pd.DataFrame) -> str:
    """Say on how few test words numbers rest, where the paper's rule does not lead for want of vectors."""
    rows = rows[(rows["metric"] == "coverage") & condition(rows, "oov", "").eq("muse")]
    if leading(rows["value"]) == "paper":
        return ""
    least = rows.loc[rows["value"].idxmin()]
    return (
        f"Few of the dictionary's test words have vectors: as few as {least['value']:.1f} %"
        f" ({least['system']}, {least['source']}-{least['target']}), {least['n']} words. Verdicts compare systems on"
        " words that both know; more text, or a dictionary of its words, would say more."
    )


def marked_grid(note: str, rows: pd.DataFrame, **how: Any) -> Grid:
    """Summarise rows as `grid` does, and mark cells with the number of their degenerate runs, which count with what
    they measured, as in verdicts. Cells of mostly degenerate runs are not ranked.
    """
    whole = grid(note, rows, **how)
    failed = rows["signature"].map(is_marked)
    counts = rows.assign(failed=failed).groupby(["system", "column"])["failed"].agg(["sum", "size"])
    told = {place: f"†{failed}/{runs}" for place, failed, runs in counts.itertuples() if failed}
    most = [place for place, failed, runs in counts.itertuples() if 2 * failed > runs]
    return with_marks(replace(whole, unranked=whole.unranked.union(most)), told, "")


def precision_grid(note: str, rows: pd.DataFrame, spelled: pd.DataFrame, **how: Any) -> Grid:
    """Return the `marked_grid` of a precision in percent, with runs that came to nothing marked, and below the control
    of who translates every word by itself.

    `spelled` are the control's rows of the same systems and columns, since systems may know different words: each cell
    is held against its own words. The grid shows the highest of a column.
    """
    control = spelled.groupby("column", sort=False)["value"].max()
    control = control[control > 0].reset_index().assign(system=SPELLING, signature="")
    how["unranked"] = [*how.get("unranked", ()), SPELLING]
    found = marked_grid(note, pd.concat([rows, control]) if len(control) else rows, **how)
    runs, own = (
        {place: list(values) for place, values in each.groupby(["system", "column"])["value"]}
        for each in (rows, spelled)
    )
    weak = [
        place for place, values in runs.items() if any(own.get(place, ())) and not beats(values, own[place])
    ]
    # Degenerate maps are told by their own mark.
    kept = rows[~rows["signature"].map(is_marked)].groupby(["system", "column"])["value"]
    return with_nils(not_above(found, weak), {place: list(values) for place, values in kept}, {})
