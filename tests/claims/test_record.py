"""Failures and skew that the seeds of one comparison do not show: verdicts are wrong in at most 5% with the record."""

from collections.abc import Callable

import numpy as np
import pytest
from scipy import stats

from crosslingua.claims import record as module
from crosslingua.claims.interval import Evidence, Spread
from crosslingua.claims.record import record_of
from crosslingua.claims.skew import largest_skewness, quantile
from crosslingua.claims.statements import Comparison, Region
from crosslingua.claims.verdict import Finding


def evidence(values: np.ndarray, worst: float = 0.0) -> Evidence:
    """Scores (systems, seeds) of the systems 0, 1, ... on one pair."""
    found = Evidence("points", worst=worst)
    for system, scores in enumerate(values):
        for seed, score in enumerate(scores):
            found.add("x-y", str(system), seed, {("x", "1"): float(score)})
    return found


def test_margins_by_hand() -> None:
    scores = np.full((41, 5), 60.0) + np.arange(5)  # of 60 to 64 each
    down, up = record_of(evidence(scores)).doubt(["x-y"], "0", None).margins(0.95, 5)
    rate = 1 - 0.025 ** (1 / (5 + 200 / 2))  # five seeds, and 200 other runs at half weight
    assert (down, up) == (pytest.approx(rate * 62), 0)
    down, up = record_of(evidence(scores)).doubt(["x-y"], "0", "1").margins(0.95, 5)
    assert down == up == pytest.approx(rate * 62)
    down, up = record_of(evidence(scores, worst=100.0)).doubt(["x-y"], "0", None).margins(0.95, 5)
    assert (down, up) == (0, pytest.approx(rate * 38))  # of error rates
    down, _ = record_of(evidence(scores[:2])).doubt(["x-y"], "0", None).margins(0.95, 5)
    assert down == pytest.approx(0.25 * 62)  # a failure in more than a quarter of the runs is not rare


def test_a_run_far_below_its_systems_best_failed() -> None:
    scores = np.full((5, 5), 60.0) + np.arange(5)
    scores[1, :2] = 10, 20
    found = record_of(evidence(scores))
    assert [failed for _, failed in found.units.values()] == [0, 2, 0, 0, 0]
    assert found.loss == pytest.approx(63 - 15)
    assert record_of(evidence(100 - scores, worst=100.0)).loss == pytest.approx(15 - 63)


def test_the_rate_is_the_quantile_of_a_beta_binomial_posterior() -> None:
    """By rejection: of made-up populations those are kept that have the counts at hand."""
    rng = np.random.default_rng(0)
    mean, correlation = rng.random((2, 400_000))
    a, b = mean * (1 / correlation - 1), (1 - mean) * (1 / correlation - 1)
    rates = rng.beta(a[:, None], b[:, None], size=(len(a), 4))
    failed = rng.binomial(3, rates)
    alike = (np.sort(failed[:, 1:], axis=1) == [0, 0, 1]).all(axis=1) & (failed[:, 0] == 0)
    counts = (((3, 0), 3), ((3, 1), 1))
    assert module._rate(counts, 3, 0.0125) == pytest.approx(np.quantile(rates[alike, 0], 0.9875), abs=0.03)


def wrong(values: np.ndarray, truth: np.ndarray, *, known: bool = True) -> np.ndarray:
    """Whether the verdict is wrong that each system is above its true mean, with the record `known` or not."""
    record = record_of(evidence(values))
    seeds = values.shape[1]
    decided = []
    for system, scores in enumerate(values):
        spread = Spread(scores.mean(), scores.var() / (seeds - 1), 0, 0, seeds, 1)
        doubt = {"doubt": record.doubt(["x-y"], str(system), None)} if known else {}
        found, region = Finding(Comparison("a"), "mean", spread, **doubt), Region(above=float(truth[system]))
        decided.append(found.inside(region) > 0 or found.outside(region, 0.95) > 0)
    return np.array(decided)


@pytest.mark.parametrize("seeds", [3, 5, 10])
@pytest.mark.parametrize("rate", [0.1, 0.2, 0.4])
def test_systems_that_fail_are_seldom_misjudged(seeds: int, rate: float) -> None:
    """Twenty systems, of which four or ten lose 50 points in some runs."""
    rng = np.random.default_rng(0)
    judged: dict[bool, list[np.ndarray]] = {True: [], False: []}
    for number in (4, 10) * 15:
        fail = np.arange(20) < number
        values = 60 + rng.normal(size=(20, seeds)) - 50 * (rng.random((20, seeds)) < rate) * fail[:, None]
        for known, results in judged.items():
            results.append(wrong(values, 60 - 50 * rate * fail, known=known))
    number = 20 * len(judged[True])
    assert np.mean(judged[True]) <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / number)
    assert np.mean(judged[False]) > np.mean(judged[True]) + 0.35 * (1 - rate) ** seeds / 2


@pytest.mark.parametrize(("seeds", "unseen"), [(3, 0.51), (5, 0.33), (10, 0.11)])
def test_of_two_systems_one_of_which_fails(seeds: int, unseen: float) -> None:
    """One falls to nothing in a fifth of its runs and is else ahead; nothing but the floor of the scores is known."""
    rng = np.random.default_rng(1)
    judged = {True: [], False: []}
    for _ in range(150):
        values = np.array([60 * (rng.random(seeds) > 0.2), np.full(seeds, 48.0)])
        values += rng.normal(size=(2, seeds))
        for known, results in judged.items():
            results.append(wrong(values, np.array([48.0, 48.0]), known=known)[0])
    assert np.mean(judged[True]) <= 0.05
    assert np.mean(judged[False]) == pytest.approx(unseen, abs=0.12)


def errors_of(draw: Callable[..., np.ndarray], seeds: int, at: float) -> float:
    values = draw(size=(40_000, seeds))
    return float(np.mean(np.abs(values.mean(axis=1)) > at * values.std(axis=1) / np.sqrt(seeds - 1)))


@pytest.mark.parametrize("seeds", [3, 5, 10])
def test_intervals_of_skewed_errors_keep_their_level(seeds: int) -> None:
    rng = np.random.default_rng(2)
    shapes = {
        "exponential": (lambda size: rng.exponential(size=size) - 1, 0.094),
        "log-normal": (lambda size: np.exp(rng.normal(0, 0.5, size)) - np.exp(0.125), 0.07),
    }
    student = stats.t.ppf(0.975, seeds - 1)
    for draw, least in shapes.values():
        assert errors_of(draw, seeds, student) > least
        skews = [largest_skewness(draw(size=(40, seeds))) for _ in range(10)]
        of_record = np.mean([quantile(0.95, seeds, skew) for skew in skews])
        assert errors_of(draw, seeds, of_record) < 0.056
    assert quantile(0.95, seeds, 0.0) == pytest.approx(student)


def test_a_record_without_skew_widens_little() -> None:
    rng = np.random.default_rng(3)
    for seeds in (5, 10):
        wider = [quantile(0.95, seeds, largest_skewness(rng.normal(size=(40, seeds)))) for _ in range(20)]
        assert np.mean(wider) / stats.t.ppf(0.975, seeds - 1) < 1.3
    assert largest_skewness([]) == 2
