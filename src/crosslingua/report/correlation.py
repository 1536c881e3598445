"""Spearman's rank correlation of word-embedding alignment with transfer (align_mlm, figure 3 and appendix E)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

MAIN = ("mlm", "xlm", "dict_mlm", "align_mlm")  # ablations are no part of the paper's correlation
TRANSFER_TASKS = ("nli", "ner", "pos")
Encoder = tuple[str, str]  # system, transformation


@dataclass(frozen=True)
class Correlation:
    """The correlation of one seed's cells: Spearman's rho and its two-tailed p, from the t distribution."""

    seed: int
    cells: tuple[Encoder, ...]
    alignment: np.ndarray
    delta: np.ndarray
    rho: float
    p: float


def correlations(rows: pd.DataFrame) -> dict[str, list[Correlation]]:
    """Return for each task the correlation of each seed, over the cells that have both scores (three at least).

    Transfer is -delta, so that a positive rho means: the better aligned, the better the transfer. A seed whose
    scores are all alike on either side has no correlation and is left out.
    """
    rows = rows[rows["system"].isin(MAIN)]
    return {task: list(_of_task(rows, task)) for task in TRANSFER_TASKS}


def _of_task(rows: pd.DataFrame, task: str) -> Iterator[Correlation]:
    from scipy.stats import spearmanr

    for seed, own in rows.groupby("seed"):
        scores = {"x": _scores(own, "embedding_alignment", "alignment"), "y": _scores(own, task, "delta")}
        both = pd.DataFrame(scores).dropna().sort_index()
        x, y = both["x"].to_numpy(), both["y"].to_numpy()
        if len(both) < 3 or not np.ptp(x) or not np.ptp(y):
            continue
        rho, p = spearmanr(x, -y)
        yield Correlation(int(seed), tuple(both.index), x, y, float(rho), float(p))


def _scores(rows: pd.DataFrame, task: str, metric: str) -> pd.Series:
    chosen = rows[(rows["task"] == task) & (rows["metric"] == metric)].set_index(["system", "target"])
    return chosen["value"].round(6)  # equal scores are ties, whatever their last bits
