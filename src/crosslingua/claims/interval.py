"""The evidence for a claim, by seed and test item, and the confidence interval of its mean over both.

Every seed answers the same items, so the values form a grid (seeds x items) whose rows share a training run and
whose columns share an item (two crossed factors; Cochran 1951, Cameron, Gelbach and Miller 2011). Its mean m varies
with both:

    V_seeds = sum_s (m_s - m)^2 / (S (S - 1))       m_s: the mean of seed s over all items
    V_items = U / (U - 1) * sum_u z_u^2 - V_rest    z_u: what item u adds to m, less what it would add if all its
                                                    values were the mean of its language pair
    V_rest                                          of what belongs to neither; it is in V_seeds already, and is taken
                                                    out of V_items, which is 0 at least

The interval is m ± t sqrt(V_seeds + V_items). Of values of one system whose seeds may be skewed it is wider by the
share of V_seeds (`skew`); of a difference of two systems it is not, since skew cancels. V_seeds is known from few
seeds, V_items from many items, so that t lies between their quantiles of Student's distribution; how is an
approximation. Satterthwaite's (1946) pooled degrees of freedom fall short with three seeds (92% in place of 95%),
Cochran's mean of both quantiles, weighted by the variances (1964), goes as far beyond (97%): t is the mean of the two,
which is within a point of 95% however seeds and items share the variance, with 3, 4 or 5 seeds (the tests simulate it).

Several language pairs are averaged with equal weight; they are the ones there are, not a sample. Seed s is the
same in all of them (their trainings share corpora), and an item that occurs in several pairs (the same source
word) is one item. With one seed V_seeds is unknown and taken as 0: that is no interval for a verdict, which
would have to say something about another training run.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from math import inf
from statistics import fmean
from typing import Self

import numpy as np

from crosslingua.claims.skew import quantile
from crosslingua.errors import ConfigError


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
        """Half the width of the interval."""
        both = ((self.over_seeds, self.seeds - 1), (self.over_items, self.items - 1))
        parts = [(variance, freedom) for variance, freedom in both if variance > 0]
        if not parts:
            return 0.0
        total = sum(variance for variance, _ in parts)
        weighted = sum(_t(level, freedom) * variance for variance, freedom in parts) / total
        pooled = total**2 / sum(variance**2 / freedom for variance, freedom in parts)
        skewed = (
            quantile(level, self.seeds, self.skewness) / _t(level, self.seeds - 1) if self.seeds > 1 else 1
        )
        wider = 1 + (skewed - 1) * self.over_seeds / total
        return float((weighted + _t(level, pooled)) / 2 * np.sqrt(total) * wider)

    def interval(self, level: float = 0.95) -> Interval:
        """Return the mean with its interval (module docstring)."""
        margin = self.margin(level)
        return Interval(self.effect, self.effect - margin, self.effect + margin)

    def with_seeds(self, number: int) -> Self:
        """Return what is to be expected of another number of seeds."""
        share = self.seeds / number
        return replace(self, over_seeds=self.over_seeds * share, rest=self.rest * share, seeds=number)

    def with_items(self, number: int) -> Self:
        """Return what is to be expected of another number of items."""
        share = self.items / number
        trainings = max(0.0, self.over_seeds - self.rest)
        return replace(
            self, over_seeds=trainings + (self.over_seeds - trainings) * share,
            over_items=self.over_items * share, rest=self.rest * share, items=number,
        )  # fmt: skip


def mean_spread(grids: Sequence[Crossed]) -> Spread:
    """Return the mean over the language pairs of `grids`, which have the same seeds in the same order, with its
    variances. Raises ConfigError where there is nothing to average, or the numbers of seeds differ.
    """
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


def _t(level: float, freedom: float) -> float:
    """The two-sided quantile of Student's distribution."""
    from scipy.special import stdtrit

    return float(stdtrit(freedom, (1 + level) / 2))


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
    return gap > _t(level, freedom) * np.sqrt(total)


# One seed's values by item; an item is (source language, word), so that pairs with one source share their items.
Values = Mapping[tuple[str, str], float]


def numbered(name: str, values: Iterable[float]) -> Values:
    """Return the values of the items (name, number), such as a task's sentences."""
    return {(name, str(number)): float(value) for number, value in enumerate(values)}


def _empty() -> dict[str, dict[str, dict[int, Values]]]:
    return defaultdict(lambda: defaultdict(dict))


@dataclass
class Evidence:
    """Values of one measure: language pair -> system -> seed -> item -> value, in `unit`.

    `bounds` are the least and the greatest mean that one system can have. `failed` are runs (pair, system, seed) that
    failed, whose values are what they measured. `withheld` says of a pair and system why it takes part in no
    comparison. `controlled`: its systems were compared with controls, and those that are no better are withheld.
    `differences`: what stands as one system is a difference of two.
    """

    unit: str
    values: dict[str, dict[str, dict[int, Values]]] = field(default_factory=_empty)
    bounds: tuple[float, float] = UNBOUNDED
    failed: list[tuple[str, str, int]] = field(default_factory=list)
    withheld: dict[tuple[str, str], str] = field(default_factory=dict)
    controlled: bool = False
    differences: bool = False

    def add(self, pair: str, system: str, seed: int, values: Values) -> None:
        """Keep one seed's values, unless the system is withheld."""
        if (pair, system) not in self.withheld:
            self.values[pair][system][seed] = values

    def withhold(self, pair: str, system: str, reason: str) -> None:
        """Let a system take no part in comparisons of a pair; `reason` is what a sentence says of the system."""
        self.withheld[pair, system] = reason
        self.values[pair].pop(system, None)
        self.failed = [run for run in self.failed if run[:2] != (pair, system)]

    def restricted(self, pairs: Sequence[str]) -> Self:
        """Return the evidence on `pairs` (names, or patterns such as `ner.*`); on all where there are none."""
        if not pairs:
            return self

        def chosen(pair: str) -> bool:
            return any(fnmatchcase(pair, pattern) for pattern in pairs)

        return replace(
            self,
            values=_empty() | {pair: systems for pair, systems in self.values.items() if chosen(pair)},
            failed=[run for run in self.failed if chosen(run[0])],
            withheld={place: reason for place, reason in self.withheld.items() if chosen(place[0])},
        )

    def by_run(self, runs: Mapping[int, int]) -> Self:
        """Return the evidence in which seeds that read one training of an encoder (`runs`) are one: their mean."""
        part = replace(self, values=_empty())
        for pair, systems in self.values.items():
            for system, seeds in systems.items():
                shared: defaultdict[int, list[Values]] = defaultdict(list)
                for seed, values in seeds.items():
                    shared[runs.get(seed, seed)].append(values)
                for run, each in shared.items():
                    part.add(pair, system, run, _mean(each))
        return part

    def converged(self, least: int) -> Self:
        """Return the evidence without failed runs, and systems of which, in a pair, fewer than `least` are left."""
        failed = set(self.failed)
        part = replace(self, values=_empty())
        for pair, systems in self.values.items():
            part.values[pair] = {}
            for name, runs in systems.items():
                kept = {seed: values for seed, values in runs.items() if (pair, name, seed) not in failed}
                if len(kept) >= min(least, len(runs)):
                    part.values[pair][name] = kept
        return part

    def failure_rates(self, systems: Collection[str], level: float = 0.95) -> dict[str, dict[str, float]]:
        """Return of each of `systems` how many `runs` `failed`, and the interval of the rate, `low` and `high` percent
        (Clopper and Pearson 1934). A system without a run has none.
        """
        from scipy.stats import beta

        failed = Counter(system for _, system, _ in {*self.failed})
        runs = Counter(name for of in self.values.values() for name, seeds in of.items() for _ in seeds)
        found = {}
        for name in sorted(runs.keys() & {*systems}):
            bad, good, tail = failed[name], runs[name] - failed[name], (1 - level) / 2
            low = beta.ppf(tail, bad, good + 1) if bad else 0.0
            high = beta.ppf(1 - tail, bad + 1, good) if good else 1.0
            found[name] = {
                "failed": bad, "runs": bad + good, "low": 100 * float(low), "high": 100 * float(high)
            }  # fmt: skip
        return found

    def not_compared(self, systems: Collection[str]) -> tuple[str, ...]:
        """Say of each of `systems` that is withheld why, and in which pairs, if it is not in all."""
        reasons: dict[tuple[str, str], list[str]] = {}
        for (pair, name), reason in sorted(self.withheld.items()):
            if name in systems:
                reasons.setdefault((name, reason), []).append(pair)
        return tuple(
            f"{name} {reason}" + (f" ({', '.join(pairs)})" if {*pairs} != {*self.values} else "")
            for (name, reason), pairs in reasons.items()
        )

    def systems(self) -> set[str]:
        """The systems that every pair has, of the pairs that have any: in a pair all may be withheld."""
        found = [set(of) for of in self.values.values() if of]
        return set.intersection(*found) if found else set()

    def seeds(self, systems: Sequence[str]) -> list[int]:
        """The seeds that all `systems` have in every pair."""
        every = (set(of[system]) for of in self.values.values() for system in systems)
        return sorted(set.intersection(*every))

    def means(self, pair: str, system: str) -> list[float]:
        """The score of each run of a system in a pair."""
        return [fmean(values.values()) for values in self.values[pair][system].values() if values]

    def grid(self, pair: str, system: str, over: str | None, seeds: Sequence[int]) -> Crossed:
        """Return values (seeds, items) of `system`, less those of `over`, on the items that all of them answered."""
        columns = [self.values[pair][name][seed] for name in (system, over) if name for seed in seeds]
        items = [item for item in columns[0] if all(item in column for column in columns)]
        table = np.array([[column[item] for item in items] for column in columns], dtype=np.float64)
        table = table.reshape(len(columns), len(items))
        return Crossed(items, table[: len(seeds)] - table[len(seeds) :] if over else table)


def _mean(runs: Sequence[Values]) -> Values:
    """Return the mean of several runs on the items that all of them answered."""
    if len(runs) == 1:
        return runs[0]
    common = [item for item in runs[0] if all(item in values for values in runs)]
    return {item: sum(values[item] for values in runs) / len(runs) for item in common}


# Influence values: items whose mean is a score that is no mean over items (F1, AER, rho), with its variance.
def of_ratio(numerators: np.ndarray, denominators: np.ndarray) -> np.ndarray:
    """Return (n,) influence values of sum(numerators) / sum(denominators) (Särndal et al. 1992, section 5.5)."""
    ratio = numerators.sum() / denominators.sum()
    return ratio + (numerators - ratio * denominators) / denominators.mean()


def of_rank_correlation(x: np.ndarray, y: np.ndarray) -> np.ndarray | None:
    """Return (n,) influence values of Spearman's rho of x and y; None without spread or for n < 4.

    Of Pearson's r on standardised ranks a and b: r + (a b - r (a^2 + b^2) / 2), what is in parentheses having mean 0.
    """
    from scipy.stats import rankdata

    if len(x) < 4 or not np.ptp(x) or not np.ptp(y):
        return None
    ranks = np.array([rankdata(values) for values in (x, y)])
    a, b = (ranks - ranks.mean(axis=1, keepdims=True)) / ranks.std(axis=1, keepdims=True)
    rho = float(np.mean(a * b))
    return rho + a * b - rho * (a**2 + b**2) / 2


Part = tuple[float, Values]  # weight, values of a sample by item


def contrast(parts: Sequence[Part]) -> Values:
    """Return items whose mean is the weighted sum of the means of `parts`, and whose variance is that of this sum.

    A value v of the n of its part among N items counts as sum + N weight / n (v - their mean). An item of several
    parts, such as a sentence in several languages, is one: what they have in common adds up.
    """
    number = len(set().union(*(values for _, values in parts)))
    means = [fmean(values.values()) for _, values in parts]
    effect = sum(weight * mean for (weight, _), mean in zip(parts, means, strict=True))
    found: dict[tuple[str, str], float] = {}
    for (weight, values), mean in zip(parts, means, strict=True):
        share = number * weight / len(values)
        for item, value in values.items():
            found[item] = found.get(item, effect) + share * (value - mean)
    return found
