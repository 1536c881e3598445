"""Weighted sums of means, item by item: their variance, of items that several samples share above all."""

import numpy as np
import pytest

from crosslingua.claims.interval import Crossed, Values, contrast, mean_spread


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
        grid = Crossed(list(values[0]), np.array([list(one.values()) for one in values]))
        interval = mean_spread([grid]).interval()
        covered.append(interval.low < 0 < interval.high)
    assert 0.93 <= np.mean(covered) <= 0.975
