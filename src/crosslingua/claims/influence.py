"""Influence values: items of a score that is no mean over items (F1, AER, Spearman's rho), made into one that is.

Their mean is the score, and the variance of their mean is its variance by the delta method, to the first order.
"""

from __future__ import annotations

import numpy as np


def of_ratio(numerators: np.ndarray, denominators: np.ndarray) -> np.ndarray:
    """Return (n,) influence values of sum(numerators) / sum(denominators) (Särndal et al. 1992, section 5.5)."""
    ratio = numerators.sum() / denominators.sum()
    return ratio + (numerators - ratio * denominators) / denominators.mean()


def of_rank_correlation(x: np.ndarray, y: np.ndarray) -> np.ndarray | None:
    """Return (n,) influence values of Spearman's rho of x and y; None where it is not defined (no spread) or of n < 4.

    Of three, every third order has a rho of 1 or -1.

    Of Pearson's r on standardised ranks a and b: r + (a b - r (a^2 + b^2) / 2), what is in parentheses having mean 0.
    """
    from scipy.stats import rankdata

    if len(x) < 4 or not np.ptp(x) or not np.ptp(y):
        return None
    ranks = np.array([rankdata(values) for values in (x, y)])
    a, b = (ranks - ranks.mean(axis=1, keepdims=True)) / ranks.std(axis=1, keepdims=True)
    rho = float(np.mean(a * b))
    return rho + a * b - rho * (a**2 + b**2) / 2
