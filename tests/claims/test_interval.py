"""Influence values: their mean is the score, and their spread the spread of the score over samples."""

import numpy as np
import pytest
from scipy import stats
from scipy.stats import spearmanr

from crosslingua.claims import interval
from crosslingua.claims.interval import Crossed, Spread, contrast, mean_spread, of_rank_correlation
from crosslingua.errors import ConfigError


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


# Influence values: the score is their mean, and their spread that of the score over samples.


def test_of_a_ratio() -> None:
    rng = np.random.default_rng(4)
    sure = rng.integers(3, 20, 400)
    right = rng.binomial(sure, 0.7)
    values = interval.of_ratio(2 * right, 2 * sure)
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


def named(values: np.ndarray, prefix: str = "") -> interval.Values:
    return {("task", f"{prefix}{number}"): value for number, value in enumerate(values.tolist())}


def variance_of_mean(values: interval.Values) -> float:
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
