"""Influence values: their mean is the score, and their spread the spread of the score over samples."""

import numpy as np
import pytest
from scipy import stats

from crosslingua.errors import ConfigError
from crosslingua.statistics.interval import Crossed, Spread, mean_spread


def grid(values: np.ndarray, prefix: str = "w") -> Crossed:
    values = np.asarray(values, dtype=float)
    return Crossed([f"{prefix}{i}" for i in range(values.shape[1])], values)


def test_one_seed_or_items_that_agree_leave_the_t_interval_over_the_other() -> None:
    items, seeds = np.random.default_rng(0).normal(3, 2, 40), np.array([1.0, 4.0, 2.5])
    for values, crossed in ((items, items[None]), (seeds, np.repeat(seeds[:, None], 50, axis=1))):
        found = mean_spread([grid(crossed)]).interval(0.9)
        expected = stats.ttest_1samp(values, 0).confidence_interval(0.9)
        assert (found.effect, found.low, found.high) == pytest.approx((values.mean(), *expected))


def test_two_seeds_and_two_items_by_hand() -> None:
    # Seed means 2 and 4 (mean 3), item means 1 and 5, no rest: V_seeds = 2 / 2 = 1; z = (-1, 1), V_items = 4.
    found = mean_spread([grid([[0, 4], [2, 6]])])
    assert (found.effect, found.over_seeds, found.over_items) == pytest.approx((3, 1, 4))
    assert found.rest == pytest.approx(0, abs=1e-12)
    # Cochran: both quantiles have one degree of freedom; Satterthwaite: 5^2 / (1^2 + 4^2) of them.
    quantile = (stats.t.ppf(0.975, 1) + stats.t.ppf(0.975, 25 / 17)) / 2
    assert found.margin() == pytest.approx(quantile * np.sqrt(5))


def test_variances_are_those_of_the_analysis_of_variance() -> None:
    """A mean square, its expectation being a sum of variances, over S U: what it adds to the variance of the mean."""
    values = np.random.default_rng(2).normal(size=(4, 30)) + 3 * np.random.default_rng(3).normal(size=30)
    seeds, items = values.mean(axis=1, keepdims=True), values.mean(axis=0, keepdims=True)
    rest = ((values - seeds - items + values.mean()) ** 2).sum() / (3 * 29)
    squares = 30 * seeds.var(ddof=1), 4 * items.var(ddof=1)
    found = mean_spread([grid(values)])
    assert found.over_seeds == pytest.approx(squares[0] / 120)
    assert found.rest == pytest.approx(rest / 120)
    assert found.over_items == pytest.approx((squares[1] - rest) / 120)


def test_more_seeds_and_more_items_take_their_share_of_the_variance() -> None:
    found = Spread(0, over_seeds=6, over_items=4, rest=2, seeds=3, items=10)
    assert found.with_seeds(6) == Spread(0, over_seeds=3, over_items=4, rest=1, seeds=6, items=10)
    # 4 of the 6 belong to trainings
    assert found.with_items(20) == Spread(0, over_seeds=5, over_items=2, rest=1, seeds=3, items=20)


def test_a_word_that_occurs_in_two_pairs_counts_as_one_item() -> None:
    both = grid(values := np.random.default_rng(1).normal(size=(1, 30))), grid(values, "v")
    one, same, other = (mean_spread(grids).interval() for grids in (both[:1], both[:1] * 2, both))
    assert (same.low, same.high) == pytest.approx((one.low, one.high))
    ratio = stats.t.ppf(0.975, 59) / stats.t.ppf(0.975, 29) * np.sqrt((60 / 59) / (30 / 29) / 2)
    assert other.high - other.effect == pytest.approx(ratio * (one.high - one.effect))


def test_pairs_weigh_the_same_whatever_their_number_of_items() -> None:
    found = mean_spread([grid(np.zeros((2, 10))), grid(np.full((2, 1000), 8.0), "v")]).interval()
    assert (found.effect, found.low, found.high) == (4, 4, 4)


# Deviations of trainings, items and the rest: from all of the variance of the mean over items to all of it over seeds.
DEVIATIONS = [
    (0, 3, 0.1), (0, 3, 3), (0.1, 3, 1), (0.2, 3, 1), (0.4, 3, 1), (0.5, 1, 1), (0.3, 0, 3), (1, 1, 0)
]  # fmt: skip
REPEATS = 20_000  # experiments: the simulation's error is 0.15 points


def margins(over_seeds: np.ndarray, over_items: np.ndarray, seeds: int, items: int) -> np.ndarray:
    """`Spread.margin` at 95% of many experiments at once; variances (n,)."""
    parts = ((over_seeds, seeds - 1), (over_items, items - 1))
    total = over_seeds + over_items
    weighted = sum(stats.t.ppf(0.975, freedom) * variance for variance, freedom in parts) / total
    pooled = total**2 / sum(variance**2 / freedom for variance, freedom in parts)
    return (weighted + stats.t.ppf(0.975, pooled)) / 2 * np.sqrt(total)


def variances(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return V_seeds and V_items (n,) of grids (n, seeds, items), as the module's docstring has them."""
    _, seeds, items = values.shape
    by_seed, by_item = values.mean(axis=2, keepdims=True), values.mean(axis=1, keepdims=True)
    whole = values.mean(axis=(1, 2), keepdims=True)
    residuals = ((values - by_seed - by_item + whole) ** 2).sum(axis=(1, 2))
    rest = residuals / ((seeds - 1) * (items - 1)) / (seeds * items)
    over_seeds = ((by_seed - whole) ** 2).sum(axis=(1, 2)) / (seeds * (seeds - 1))
    over_items = ((by_item - whole) ** 2).sum(axis=(1, 2)) / (items * (items - 1))
    return over_seeds, np.maximum(0, over_items - rest)


@pytest.mark.parametrize("seeds", [3, 4, 5])
@pytest.mark.parametrize(("seed_sd", "item_sd", "rest_sd"), DEVIATIONS)
def test_the_interval_covers_the_truth_as_often_as_it_says(seeds, seed_sd, item_sd, rest_sd) -> None:
    """In 93 to 97% of experiments."""
    rng = np.random.default_rng(7)
    items, covered, part = 60, 0, 2000
    for start in range(0, REPEATS, part):
        values = rng.normal(0, rest_sd, (part, seeds, items))
        values += rng.normal(0, seed_sd, (part, seeds, 1)) + rng.normal(0, item_sd, (part, 1, items))
        both = variances(values)
        margin = margins(*both, seeds, items)
        if not start:  # the same as one by one
            for one, over_seeds, over_items, known in zip(values[:20], *both, margin, strict=False):
                found = mean_spread([grid(one)])
                assert (found.over_seeds, found.over_items) == pytest.approx((over_seeds, over_items))
                assert found.margin() == pytest.approx(known)
        covered += (np.abs(values.mean(axis=(1, 2))) <= margin).sum()
    assert 0.93 <= covered / REPEATS <= 0.97


@pytest.mark.parametrize("seeds", [3, 4, 5])
@pytest.mark.parametrize("share", [0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0])
def test_its_quantile_is_right_however_seeds_and_items_share_the_variance(seeds: int, share: float) -> None:
    """Of independent estimates of both variances, as normal values give them."""
    rng = np.random.default_rng(1)
    over_seeds = share * rng.chisquare(seeds - 1, REPEATS) / (seeds - 1)
    over_items = (1 - share) * rng.chisquare(99, REPEATS) / 99
    margin = margins(over_seeds, over_items, seeds, 100)
    covered = np.mean(np.abs(rng.normal(size=REPEATS)) < margin)
    assert margin[0] == pytest.approx(Spread(0, over_seeds[0], over_items[0], 0, seeds, 100).margin())
    assert 0.93 <= covered <= 0.97


@pytest.mark.parametrize("shapes", [[], [(2, 0)], [(2, 3), (3, 3)]])
def test_what_has_no_mean_is_an_error(shapes: list[tuple[int, int]]) -> None:
    with pytest.raises(ConfigError):
        mean_spread([grid(np.zeros(shape)) for shape in shapes])
