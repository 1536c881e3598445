"""Influence values of scores that are no means over items (F1, AER, rho): their mean is the score."""

from collections.abc import Sequence
from statistics import fmean

import numpy as np

from crosslingua.evidence.evidence import Values


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
