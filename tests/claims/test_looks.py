"""Looking again with more seeds: at Pocock's level the verdicts of all looks together are wrong as rarely as one."""

import numpy as np
import pytest
from scipy import stats

from crosslingua.claims.interval import Evidence
from crosslingua.claims.statements import Claim, Comparison, Region
from crosslingua.claims.verdict import judge, level, looks
from crosslingua.errors import ConfigError

CLAIM = Claim("c", "p", "", "", "", "m", (Comparison("a"),), Region(above=30))


def test_a_look_is_one_more_where_the_seeds_are_more() -> None:
    assert [looks(seeds, [5, 10]) for seeds in (4, 5, 6, 10, 20)] == [1, 1, 2, 2, 3]
    assert looks(20, []) == 1
    with pytest.raises(ConfigError, match="6 looks"):
        level(looks(20, range(1, 6)))


@pytest.mark.parametrize("number", range(1, 6))
def test_levels_are_pococks_constants(number: int) -> None:
    """Simulated: normal means after equal steps leave the level at one of the looks in 5% of experiments."""
    steps = np.random.default_rng(number).normal(size=(200_000, number))
    z = np.abs(np.cumsum(steps, axis=1) / np.sqrt(np.arange(1, number + 1))).max(axis=1)
    assert np.mean(z > stats.norm.ppf((1 + level(number)) / 2)) == pytest.approx(0.05, abs=0.0015)


@pytest.mark.parametrize("seeds", [(5, 10), (5, 10, 20)])
def test_they_serve_for_few_seeds_that_double(seeds: tuple[int, ...]) -> None:
    """By Student's intervals at 5, 10, 20 seeds: wrong in 5.3 and 5.6%; at 95% each it would be 8 and 11%."""
    values = np.random.default_rng(1).normal(size=(100_000, seeds[-1]))
    wrong = {}
    for at in (0.95, level(len(seeds))):
        left = np.zeros(len(values), dtype=bool)
        for count in seeds:
            seen = values[:, :count]
            margin = stats.t.ppf((1 + at) / 2, count - 1) * seen.std(axis=1, ddof=1) / np.sqrt(count)
            left |= np.abs(seen.mean(axis=1)) > margin
        wrong[at] = left.mean()
    assert wrong[0.95] > 0.075
    assert 0.045 < wrong[level(len(seeds))] < 0.058


def evidence(values: np.ndarray) -> dict:
    found = Evidence("points")
    for seed, value in enumerate(values, 1):
        found.add("mean", "a", seed, {("all", "all"): float(value)})
    return {("m", "all"): found}


def test_a_verdict_that_a_first_look_draws_may_be_open_at_a_third() -> None:
    """Twenty seeds with the interval [21.5, 29.96] at 95%: contradicted as if nobody had looked before."""
    z = stats.norm.ppf((np.arange(20) + 0.5) / 20)
    spread = (29.96 - 21.5) / 2 / stats.t.ppf(0.975, 19) * np.sqrt(20)
    values = 25.73 + z / z.std(ddof=1) * spread
    first, third = (judge(CLAIM, evidence(values), earlier=earlier) for earlier in ((), (5, 10)))
    assert (first.verdict, first.looks, first.decisive.level) == ("contradicted", 1, 0.95)
    assert (third.verdict, third.looks, third.decisive.level) == ("inconclusive", 3, 1 - 0.0221)
    assert third.decisive.interval.high > 30 > first.decisive.interval.high
    assert third.decisive.detectable > first.decisive.detectable
    assert third.settle["seeds"] > 20
    assert judge(CLAIM, evidence(values - 3), earlier=(5, 10)).verdict == "contradicted"


def test_comparisons_share_the_level_of_a_look() -> None:
    """Holm's procedure divides what Pocock leaves."""
    found = Evidence("points")
    noise = np.random.default_rng(0).normal(size=10)
    for system, effect in (("a", -5.0), ("b", 5.0)):
        for seed in range(10):
            found.add("mean", system, seed, {("all", "all"): effect + noise[seed]})
    claim = Claim("c", "p", "", "", "", "m", (Comparison("a"), Comparison("b")), Region(above=0))
    judged = judge(claim, {("m", "all"): found}, earlier=[5])
    assert (judged.verdict, judged.decisive.level) == ("contradicted", pytest.approx(1 - 0.0294 / 2))
