"""Intervals and tests against scipy, exact distributions and hand-worked cases."""

import itertools

import numpy as np
import pytest
from scipy import stats

from crosslingua.errors import ConfigError
from crosslingua.lexicon_induction.bli import bootstrap_interval, compare, permutation_p


def test_bootstrap_of_hits_follows_the_binomial():
    # Resampling n hits and misses with share p draws Binomial(n, p) / n exactly.
    hits = np.array([1] * 300 + [0] * 700)
    low, high = bootstrap_interval(hits, samples=40_000, seed=1)
    exact = stats.binom(1000, 0.3)
    assert low == pytest.approx(exact.ppf(0.025) / 1000, abs=0.0011)
    assert high == pytest.approx(exact.ppf(0.975) / 1000, abs=0.0011)
    assert bootstrap_interval(np.ones(5)) == (1, 1)


def test_bootstrap_is_seeded():
    hits = np.arange(50) % 3 == 0
    assert bootstrap_interval(hits, seed=3) == bootstrap_interval(hits, seed=3)
    with pytest.raises(ConfigError, match="0 queries"):
        bootstrap_interval(np.array([]))


@pytest.mark.parametrize(("wins", "losses"), [(7, 2), (0, 5), (4, 4), (30, 12), (0, 0)])
def test_permutation_of_hits_is_the_exact_binomial_test(wins, losses):
    differences = np.array([1] * wins + [-1] * losses + [0] * 20)
    expected = stats.binomtest(wins, wins + losses).pvalue if wins + losses else 1
    assert permutation_p(differences) == pytest.approx(expected)


def test_permutation_of_averaged_hits_against_all_sign_vectors():
    differences = np.array([0.5, 1.0, -0.25, 0.75, 0.5, -0.5, 0.25, 1.0])
    sums = [abs(np.dot(signs, differences)) for signs in itertools.product([1, -1], repeat=8)]
    exact = np.mean(np.array(sums) >= abs(differences.sum()) - 1e-12)
    assert permutation_p(differences, samples=40_000, seed=2) == pytest.approx(exact, abs=0.01)


def test_comparison_of_two_systems_by_hand():
    a = {"x": 1, "y": 1, "z": 0, "u": 1, "only_a": 1}
    b = {"x": 1, "y": 2, "z": 0, "u": 0, "only_b": 1}
    found = compare(a, b)
    assert found["n_queries"] == 4
    assert found["difference"] == pytest.approx(50)
    assert found["p_value"] == pytest.approx(0.5)  # two wins of two
    assert found["ci"][0] <= 50 <= found["ci"][1]
    assert compare(a, b, k=2)["difference"] == pytest.approx(25)
    with pytest.raises(ConfigError, match="in common"):
        compare({"x": 1}, {"y": 1})
