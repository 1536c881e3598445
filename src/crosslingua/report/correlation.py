"""Spearman's rank correlation of word-embedding alignment with transfer (align_mlm, figure 3 and appendix E)."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations
from math import factorial, prod

import numpy as np
import pandas as pd

Encoder = tuple[str, str]  # system, transformation
MOST, DRAWN = (
    2_000_000,
    100_000,
)  # permutations that are all tried, five encoders in three groups; of more, so many


@dataclass(frozen=True)
class Correlation:
    """The correlation of one seed's cells: Spearman's rho and its two-tailed p, by permutation (`permuted`)."""

    seed: int
    cells: tuple[Encoder, ...]
    alignment: np.ndarray
    delta: np.ndarray
    rho: float
    p: float


def correlations(
    rows: pd.DataFrame, systems: Iterable[str], tasks: Iterable[str]
) -> dict[str, list[Correlation]]:
    """Return for each task the correlation of each seed, over the cells of `systems` with both scores (three at least).

    Transfer is -delta, so that a positive rho means: the better aligned, the better the transfer. A seed whose
    scores are all alike on either side has no correlation and is left out.
    """
    rows = rows[rows["system"].isin([*systems])]
    return {task: list(_of_task(rows, task)) for task in tasks}


def _of_task(rows: pd.DataFrame, task: str) -> Iterator[Correlation]:
    for seed, own in rows.groupby("seed"):
        scores = {"x": _scores(own, "embedding_alignment", "alignment"), "y": _scores(own, task, "delta")}
        both = pd.DataFrame(scores).dropna().sort_index()
        x, y = both["x"].to_numpy(), both["y"].to_numpy()
        if len(both) < 3 or not np.ptp(x) or not np.ptp(y):
            continue
        rho, p = permuted(x, -y, both.index.get_level_values("target"))
        yield Correlation(int(seed), tuple(both.index), x, y, rho, p)


def permuted(x: np.ndarray, y: np.ndarray, groups: Iterable[Hashable]) -> tuple[float, float]:
    """Return Spearman's rho of x and y (n,), and its two-tailed p by all permutations of x within its `groups`.

    Transformations differ in both scores, whatever the objectives do: only within one are encoders exchangeable
    (stratified permutation test; Good 2005, section 3.5). p is the share of permutations with a rho as far from 0.
    """
    from scipy.stats import rankdata

    ranks = [rankdata(values) for values in (x, y)]
    a, b = ((values - values.mean()) / np.linalg.norm(values - values.mean()) for values in ranks)
    rho = float(a @ b)
    sums = _sums(a, b, list(pd.Series(range(len(a))).groupby(list(groups), sort=False).apply(list)))
    return rho, float(np.mean(np.abs(sums) >= abs(rho) - 1e-9))


def _sums(a: np.ndarray, b: np.ndarray, places: Sequence[Sequence[int]]) -> np.ndarray:
    """Return a @ b under every permutation of a within `places`; where they are more than MOST, as it is and DRAWN."""
    if prod(factorial(len(own)) for own in places) > MOST:
        random = np.random.default_rng(0)
        drawn = [random.permuted(np.tile(a[own], (DRAWN, 1)), axis=1) @ b[own] for own in places]
        return np.append(np.sum(drawn, axis=0), a @ b)
    sums = np.zeros(1)
    for own in places:  # the sum of products of a group is independent of the other groups' order
        orders = np.array(list(permutations(own)))
        sums = np.add.outer(sums, a[orders] @ b[own]).ravel()
    return sums


def _scores(rows: pd.DataFrame, task: str, metric: str) -> pd.Series:
    chosen = rows[(rows["task"] == task) & (rows["metric"] == metric)].set_index(["system", "target"])
    return chosen["value"].round(6)  # equal scores are ties, whatever their last bits
