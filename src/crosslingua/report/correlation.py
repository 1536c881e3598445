"""Spearman's rank correlation of word-embedding alignment with transfer (align_mlm, figure 3 and appendix E)."""

from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from math import factorial, prod

import numpy as np
import pandas as pd

Encoder = tuple[str, str]  # system, transformation
# Permutations that are all tried (five encoders, three groups); of more, so many.
MOST, DRAWN = 2_000_000, 100_000


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
    """Return for each task the correlation of each seed, over the cells of `systems` with both scores, three at least,
    of the seeds that are `complete`.

    Transfer is -delta: a positive rho means that the better aligned transfers better.
    """
    rows = rows[rows["system"].isin([*systems])]
    found: dict[str, list[Correlation]] = {task: [] for task in tasks}
    for task, seed, own in ((task, *group) for task in found for group in rows.groupby("seed")):
        scores = {"x": _scores(own, "embedding_alignment", "alignment"), "y": _scores(own, task, "delta")}
        both = pd.DataFrame(scores).dropna().sort_index()
        x, y = both["x"].to_numpy(), both["y"].to_numpy()
        if len(both) >= 3 and np.ptp(x) and np.ptp(y):
            rho, p = permuted(x, -y, both.index.get_level_values("target"))
            found[task].append(Correlation(int(seed), tuple(both.index), x, y, rho, p))
    return {task: [seeds[n] for n in complete([one.cells for one in seeds])] for task, seeds in found.items()}


def complete(seeds: Sequence[Collection[Encoder]]) -> list[int]:
    """Return which of `seeds` have the most encoders, the same in all; of several such sets, the one of most seeds.

    A mean over seeds with different encoders is the correlation of none of these sets.
    """
    sets = Counter(frozenset(encoders) for encoders in seeds)
    chosen = max(sets, key=lambda one: (len(one), sets[one]), default=frozenset())
    return [place for place, encoders in enumerate(seeds) if {*encoders} == chosen]


def together(seeds: Sequence[Correlation]) -> float | None:
    """Return the p of the mean of their rhos; see `permuted_together`."""
    scores = (zip(one.cells, zip(one.alignment, one.delta, strict=True), strict=True) for one in seeds)
    return permuted_together([dict(each) for each in scores])


def permuted(x: np.ndarray, y: np.ndarray, groups: Iterable[Hashable]) -> tuple[float, float]:
    """Return Spearman's rho of x and y (n,), and its two-tailed p by all permutations of x within its `groups`.

    Only within a transformation are encoders exchangeable (stratified permutation test; Good 2005, section 3.5).
    """
    a, b = _standardised(x), _standardised(y)
    places = pd.Series(range(len(a))).groupby(list(groups), sort=False).apply(list)
    sums = _sums([np.outer(a[own], b[own]) for own in places])
    return float(sums[0]), float(np.mean(np.abs(sums) >= abs(sums[0]) - 1e-9))


def _sums(groups: Sequence[np.ndarray]) -> np.ndarray:
    """Return the sum of products (n, n) under every permutation within groups, the first as it is; of many, DRAWN."""
    many, random = prod(factorial(len(products)) for products in groups) > MOST, np.random.default_rng(0)
    sums = np.zeros(1)
    for products in groups:  # the sum of a group is independent of the other groups' order
        order = np.arange(len(products))
        drawn = [order, random.permuted(np.tile(order, (DRAWN, 1)), axis=1)] if many else permutations(order)
        orders = np.vstack(list(drawn))
        taken = products[orders, order].sum(axis=1)
        sums = sums + taken if many else np.add.outer(sums, taken).ravel()
    return sums


def permuted_together(seeds: Sequence[Mapping[Encoder, tuple[float, float]]]) -> float | None:
    """Return the two-tailed p of the mean over `seeds` of Spearman's rho; a seed has (x, y) of each encoder.

    A permutation gives a system's x to another in all seeds: trainings of an objective are no independent evidence.
    None where the seeds that have a transformation differ in its systems.
    """
    parts: dict[str, dict[tuple[str, ...], np.ndarray]] = {}
    for points in seeds:
        names = sorted(points, key=lambda one: (one[1], one[0]))
        a, b = (_standardised(np.array([points[one][side] for one in names])) for side in (0, 1))
        for target in dict.fromkeys(target for _, target in names):
            own = [place for place, one in enumerate(names) if one[1] == target]
            systems = tuple(names[place][0] for place in own)
            products = np.outer(a[own], b[own]) / len(seeds)  # of the x of one system, the y of another
            kept = parts.setdefault(target, {})
            kept[systems] = kept.get(systems, 0) + products
    if any(len(kept) > 1 for kept in parts.values()):
        return None
    sums = _sums([products for kept in parts.values() for products in kept.values()])
    return float(np.mean(np.abs(sums) >= abs(sums[0]) - 1e-9))


def _standardised(values: np.ndarray) -> np.ndarray:
    """Return the ranks of values (n,) with mean 0 and norm 1."""
    from scipy.stats import rankdata

    ranks = rankdata(values)
    return (ranks - ranks.mean()) / np.linalg.norm(ranks - ranks.mean())


def _scores(rows: pd.DataFrame, task: str, metric: str) -> pd.Series:
    chosen = rows[(rows["task"] == task) & (rows["metric"] == metric)].set_index(["system", "target"])
    return chosen["value"].round(6)  # equal scores are ties, whatever their last bits
