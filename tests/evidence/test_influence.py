"""Influence values: scores that are no means over items, and their variance."""

import numpy as np
import pytest
from scipy.stats import spearmanr

from crosslingua.evidence import influence
from crosslingua.evidence.evidence import Values
from crosslingua.evidence.influence import contrast, of_rank_correlation
from crosslingua.statistics.interval import Crossed, mean_spread


def test_of_a_ratio() -> None:
    rng = np.random.default_rng(4)
    sure = rng.integers(3, 20, 400)
    right = rng.binomial(sure, 0.7)
    values = influence.of_ratio(2 * right, 2 * sure)
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


# Weighted sums of means, item by item: their variance, of items that several samples share above all.


def named(values: np.ndarray, prefix: str = "") -> Values:
    return {("task", f"{prefix}{number}"): value for number, value in enumerate(values.tolist())}


def variance_of_mean(values: Values) -> float:
    found = np.array(list(values.values()))
    return found.var() / len(found)


def test_the_difference_of_two_samples_has_its_mean_and_its_variance() -> None:
    rng = np.random.default_rng(1)
    first, second = rng.normal(5, 2, 300), rng.normal(1, 3, 80)
    found = contrast([(1.0, named(first)), (-1.0, named(second, "other "))])
    assert np.mean(list(found.values())) == pytest.approx(first.mean() - second.mean())
    assert variance_of_mean(found) == pytest.approx(first.var() / 300 + second.var() / 80)


def test_an_item_of_two_samples_is_one_whose_parts_add_up() -> None:
    values = np.random.default_rng(1).normal(5, 2, 300)
    same = contrast([(0.5, named(values)), (0.5, named(values))])
    assert list(same.values()) == pytest.approx(values.tolist())
    assert variance_of_mean(same) == pytest.approx(values.var() / 300)  # not half of it
    against = contrast([(1.0, named(values)), (-1.0, named(values))])
    assert list(against.values()) == pytest.approx([0.0] * 300)


def test_by_hand() -> None:
    # Means 2 and 6, of two and one items among three in all: 4 + 3 (1/2) / 2 (v - 2), and for the other just 4.
    found = contrast([(0.5, {("t", "a"): 1.0, ("t", "b"): 3.0}), (0.5, {("t", "c"): 6.0})])
    assert found == {("t", "a"): 3.25, ("t", "b"): 4.75, ("t", "c"): 4.0}


@pytest.mark.parametrize("parallel", [False, True])
def test_intervals_cover_the_mean_whether_or_not_samples_are_translations(parallel: bool) -> None:
    """Four languages, five seeds; the effect of an item is the same in all of them, or each has its own."""
    rng, languages, items, seeds, covered = np.random.default_rng(3), 4, 100, 5, []
    for _ in range(600):
        effects = rng.normal(0, 10, (1 if parallel else languages, items)) + np.zeros((languages, 1))
        trained = rng.normal(0, 0.5, seeds)
        runs = [effects + one + rng.normal(0, 5, effects.shape) for one in trained]
        values = [contrast([(1 / languages, named(sample)) for sample in run]) for run in runs]
        found = mean_spread(
            [Crossed(list(values[0]), np.array([list(one.values()) for one in values]))]
        ).interval()
        covered.append(found.low < 0 < found.high)
    assert 0.93 <= np.mean(covered) <= 0.975
