"""Grids of runs some of which failed: a map that is degenerate is counted, and is no part of a mean."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd

from crosslingua.lexicon_induction.degenerate import is_marked
from crosslingua.report.tables import Grid, grid


def succeeded(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of maps that are not degenerate."""
    return rows[~rows["signature"].map(is_marked)]


def marked_grid(note: str, rows: pd.DataFrame, **how) -> Grid:
    """Summarise rows as `grid` does, leave degenerate runs out of the means, and mark the cells with their number."""
    failed = rows["signature"].map(is_marked)
    whole = grid(note, rows, **how)
    kept = grid(note, rows[~failed], **how).cells if not failed.all() else whole.cells.iloc[:0]
    cells = kept.reindex(whole.cells.index)
    counts = rows.assign(failed=failed).groupby(["system", "column"])["failed"].agg(["sum", "size"])
    marks = [_mark(*counts.loc[place]) if place in counts.index else "" for place in cells.index]
    cells = cells.assign(seeds=cells["seeds"].fillna(0), **({"mark": marks} if any(marks) else {}))
    return replace(whole, cells=cells)


def _mark(failed: int, runs: int) -> str:
    return f"†{failed}/{runs}" if failed else ""
