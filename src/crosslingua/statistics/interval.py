"""The evidence for a claim, by seed and test item, and the confidence interval of its mean over both.

Every seed answers the same items, so the values form a grid of seeds and items. Values of a row share a training run,
and values of a column share an item. Seeds and items are thus two crossed factors (Cochran 1951, Cameron, Gelbach and
Miller 2011). The mean m varies with both:

    V_seeds = sum_s (m_s - m)^2 / (S (S - 1))       m_s: the mean of seed s over all items
    V_items = U / (U - 1) * sum_u z_u^2 - V_rest    z_u: what item u adds to m, less what it would add if all its
                                                    values were the mean of its language pair
    V_rest                                          variance that neither seeds nor items explain

V_seeds contains V_rest, so V_items leaves it out; V_items is at least 0.

The interval is m ± t sqrt(V_seeds + V_items). If the values are of one system, its seeds may be skewed. The interval is
then wider by the share of V_seeds (`skew`). In a difference of two systems skew cancels, so nothing is added.

V_seeds comes from few seeds and V_items from many items, so t lies between their quantiles of Student's distribution.
Two approximations are known, and with three seeds both miss 95 %. Satterthwaite's (1946) pooled degrees of freedom
cover 92 %. Cochran's (1964) mean of both quantiles, weighted by the variances, covers 97 %. t is the mean of these
two, which covers 95 % within a point for 3, 4 or 5 seeds, however seeds and items share the variance. Tests simulate
this.

Language pairs have equal weight in the mean. They are all the pairs there are, not a sample. Seed s is the same in all
of them, since their trainings share corpora. A source word that occurs in several pairs is one item.

With one seed, V_seeds is unknown and taken as 0. Such an interval gives no verdict, since a verdict speaks of other
training runs.
"""

from collections import defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from math import inf
from statistics import fmean
from typing import Self

import numpy as np

from crosslingua.arrays import check_whole, real_array
from crosslingua.errors import ConfigError
from crosslingua.statistics.skew import quantile


@dataclass(frozen=True)
class Crossed:
    """What one language pair measured: `values` (seeds, items), and a name for each item (column)."""

    items: Sequence[Hashable]
    values: np.ndarray


@dataclass(frozen=True)
class Interval:
    """A mean and its confidence interval."""

    effect: float
    low: float
    high: float

    def within(self, least: float, greatest: float) -> Self:
        """Return the interval cut at the bounds of what is measured."""
        return replace(self, low=max(self.low, least), high=min(self.high, greatest))


UNBOUNDED = (-inf, inf)


def possible(difference: Interval, of: Interval, over: Interval, bounds: tuple[float, float]) -> Interval:
    """Return the interval of the difference `of` less `over`, cut at what their own, within `bounds`, allow."""
    of, over = of.within(*bounds), over.within(*bounds)
    return difference.within(of.low - over.high, of.high - over.low)


@dataclass(frozen=True)
class Spread:
    """A mean and its variance: over seeds, with `rest` (what neither seeds nor items explain), and over items."""

    effect: float
    over_seeds: float
    over_items: float
    rest: float
    seeds: int
    items: int
    skewness: float = 0.0

    def margin(self, level: float = 0.95) -> float:
        """Half the width of the interval. Raises ConfigError unless 0 < level < 1."""
        if not isinstance(level, float) or not 0 < level < 1:
            raise ConfigError(f"level {level!r}: give a share between 0 and 1, such as 0.95")
        both = ((self.over_seeds, self.seeds - 1), (self.over_items, self.items - 1))
        parts = [(variance, freedom) for variance, freedom in both if variance > 0]
        if not parts:
            return 0.0
        total = sum(variance for variance, _ in parts)
        weighted = sum(student_t(level, freedom) * variance for variance, freedom in parts) / total
        pooled = total**2 / sum(variance**2 / freedom for variance, freedom in parts)
        skewed = (
            quantile(level, self.seeds, self.skewness) / student_t(level, self.seeds - 1)
            if self.seeds > 1
            else 1
        )
        wider = 1 + (skewed - 1) * self.over_seeds / total
        return float((weighted + student_t(level, pooled)) / 2 * np.sqrt(total) * wider)

    def interval(self, level: float = 0.95) -> Interval:
        """Return the mean with its interval (module docstring)."""
        margin = self.margin(level)
        return Interval(self.effect, self.effect - margin, self.effect + margin)

    def with_seeds(self, number: int) -> Self:
        """Return what is to be expected of another number of seeds. Raises ConfigError unless `number` is 1 or more."""
        check_whole(number, "the number of seeds", 1)
        share = self.seeds / number
        return replace(self, over_seeds=self.over_seeds * share, rest=self.rest * share, seeds=number)

    def with_items(self, number: int) -> Self:
        """Return what is to be expected of another number of items. Raises ConfigError unless `number` is 1 or more."""
        check_whole(number, "the number of items", 1)
        share = self.items / number
        trainings = max(0.0, self.over_seeds - self.rest)
        return replace(
            self, over_seeds=trainings + (self.over_seeds - trainings) * share,
            over_items=self.over_items * share, rest=self.rest * share, items=number,
        )  # fmt: skip


def mean_spread(grids: Sequence[Crossed]) -> Spread:
    """Return the mean over the language pairs of `grids`, which have the same seeds in the same order, with its
    variances. Raises ConfigError where there is nothing to average, the numbers of seeds differ, values are not
    finite, or an item has no name.
    """
    grids = [replace(grid, values=np.asarray(grid.values)) for grid in grids]
    for grid in grids:
        values = real_array(grid.values, "the values of a pair", 2, finite=True)
        if len(grid.items) != values.shape[1]:
            raise ConfigError(f"{len(grid.items)} items for {values.shape[1]} columns: name each column")
    seeds = {len(grid.values) for grid in grids}
    if len(seeds) != 1 or 0 in seeds:
        raise ConfigError(f"an interval needs the same seeds in every pair; got {sorted(seeds)}")
    if not all(grid.values.size for grid in grids):
        raise ConfigError("in a pair there is no test item that all compared systems answered")
    effect = float(np.mean([grid.values.mean() for grid in grids]))
    parts = _parts(grids)
    rows, columns = parts.sum(axis=1), parts.sum(axis=0)
    # What neither a seed nor an item explains.
    residuals = parts - rows[:, None] / parts.shape[1] - columns / parts.shape[0]
    free = (parts.shape[0] - 1) * (parts.shape[1] - 1)
    rest = float((residuals**2).sum() * residuals.size / free) if free else 0.0
    return Spread(effect, _variance(rows), max(0.0, _variance(columns) - rest), rest, *parts.shape)


def _parts(grids: Sequence[Crossed]) -> np.ndarray:
    """Return (S, U): what each seed and item adds to the mean, less the mean of its language pair."""
    if len(grids) == 1:  # of one pair every item is its own
        values = grids[0].values
        return (values - values.mean()) / values.size
    seeds = len(grids[0].values)
    parts: defaultdict[Hashable, np.ndarray] = defaultdict(lambda: np.zeros(seeds))
    for grid in grids:
        centred = (grid.values - grid.values.mean()) / (grid.values.size * len(grids))
        for item, column in zip(grid.items, centred.T, strict=True):
            parts[item] = parts[item] + column
    return np.array(list(parts.values())).T


def _variance(parts: np.ndarray) -> float:
    """Variance of the sum of independent `parts` (n,) with mean 0; 0 where one part tells nothing of it."""
    return float((parts**2).sum() * len(parts) / (len(parts) - 1)) if len(parts) > 1 else 0.0


def student_t(level: float, freedom: float) -> float:
    """The two-sided quantile of Student's distribution."""
    from scipy.special import stdtrit

    return float(stdtrit(freedom, (1 + level) / 2))


def share_interval(hits: int, number: int, level: float = 0.95) -> tuple[float, float]:
    """Return the interval of a share in percent (Clopper and Pearson 1934)."""
    from scipy.stats import beta

    tail, misses = (1 - level) / 2, number - hits
    low = float(beta.ppf(tail, hits, misses + 1)) if hits else 0.0
    high = float(beta.ppf(1 - tail, hits + 1, misses)) if misses else 1.0
    return 100 * low, 100 * high


def beats(scores: Sequence[float], control: Sequence[float], level: float = 0.95) -> bool:
    """Whether runs with `scores` are above those of a control: the interval of the difference of their means lies above
    0 (Welch 1947). Equal runs, and one run of each, are compared as they stand.
    """
    gap = fmean(scores) - fmean(control)
    several = [runs for runs in (scores, control) if len({*runs}) > 1]
    parts = [(float(np.var(runs, ddof=1)) / len(runs), len(runs) - 1) for runs in several]
    if not parts:
        return gap > 0
    total = sum(variance for variance, _ in parts)
    freedom = total**2 / sum(variance**2 / free for variance, free in parts)
    return gap > student_t(level, freedom) * np.sqrt(total)
