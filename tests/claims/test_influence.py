"""Influence values: the score is their mean, and their spread that of the score over samples."""

import numpy as np
import pytest
from scipy.stats import spearmanr

from crosslingua.claims.interval import of_rank_correlation, of_ratio


def test_of_a_ratio() -> None:
    rng = np.random.default_rng(4)
    sure = rng.integers(3, 20, 400)
    right = rng.binomial(sure, 0.7)
    values = of_ratio(2 * right, 2 * sure)
    assert values.mean() == pytest.approx(right.sum() / sure.sum())
    drawn = rng.integers(0, 400, (3000, 400))
    resampled = right[drawn].sum(axis=1) / sure[drawn].sum(axis=1)
    assert values.std() / 20 == pytest.approx(resampled.std(), rel=0.1)


def test_of_a_rank_correlation() -> None:
    rng = np.random.default_rng(1)
    x = rng.normal(size=400)
    y = x + rng.normal(size=400)
    values = of_rank_correlation(x, y)
    assert values.mean() == pytest.approx(spearmanr(x, y).statistic, abs=1e-12)
    drawn = [rng.integers(400, size=400) for _ in range(400)]
    bootstrap = np.std([spearmanr(x[rows], y[rows]).statistic for rows in drawn])
    assert values.std() / 20 == pytest.approx(bootstrap, rel=0.15)
    assert of_rank_correlation(np.ones(5), y[:5]) is None
    assert of_rank_correlation(np.arange(3), np.arange(3)) is None  # every third order of three
    assert of_rank_correlation(np.arange(4), np.arange(4)).mean() == pytest.approx(1)
