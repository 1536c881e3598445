"""Spearman's rank correlation of word-embedding alignment with transfer (align_mlm, figure 3 and appendix E)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from crosslingua.metrics import Row

MAIN = ("mlm", "xlm", "dict_mlm", "align_mlm")  # ablations are no part of the paper's correlation
TRANSFER_TASKS = ("nli", "ner", "pos")
Cell = tuple[str, str]  # system, transformation


@dataclass(frozen=True)
class Correlation:
    """The correlation of one seed's cells: Spearman's rho and its two-tailed p, from the t distribution."""

    seed: int
    cells: tuple[Cell, ...]
    alignment: np.ndarray
    delta: np.ndarray
    rho: float
    p: float


def correlations(rows: Sequence[Row]) -> dict[str, list[Correlation]]:
    """Return for each task the correlation of each seed, over the cells that have both scores (three at least).

    Transfer is -delta, so that a positive rho means: the better aligned, the better the transfer. A seed whose
    scores are all alike on either side has no correlation and is left out.
    """
    return {task: _of_task(rows, task) for task in TRANSFER_TASKS}


def _of_task(rows: Sequence[Row], task: str) -> list[Correlation]:
    from scipy.stats import spearmanr

    found = []
    for seed in sorted({row.seed for row in rows}):
        alignment = _scores(rows, seed, "embedding_alignment", "alignment")
        delta = _scores(rows, seed, task, "delta")
        cells = tuple(sorted(alignment.keys() & delta.keys()))
        x, y = (np.array([scores[cell] for cell in cells]) for scores in (alignment, delta))
        if len(cells) < 3 or not np.ptp(x) or not np.ptp(y):
            continue
        rho, p = spearmanr(x, -y)
        found.append(Correlation(seed, cells, x, y, float(rho), float(p)))
    return found


def _scores(rows: Sequence[Row], seed: int, task: str, metric: str) -> dict[Cell, float]:
    return {
        (row.system, row.target): round(row.value, 6)  # equal scores are ties, whatever their last bits
        for row in rows
        if (row.seed, row.task, row.metric) == (seed, task, metric) and row.system in MAIN
    }
