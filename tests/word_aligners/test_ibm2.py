"""The compiled model against plain loops; likelihood and variational bound rise."""

import numpy as np
import pytest
from scipy.special import gammaln, psi

from crosslingua.word_aligners.cooccurrence import count_cooccurrence
from crosslingua.word_aligners.fast_align import FastAlign
from crosslingua.word_aligners.ibm2 import IBM2, diagonal_prior
from word_aligners import slow_ibm2 as slow


@pytest.fixture(scope="module")
def pairs():
    """Sixty sentences of 1 to 9 words, told word by word, some words left out and the first told last."""
    rng = np.random.default_rng(3)
    found = []
    for _ in range(60):
        words = rng.integers(0, 15, rng.integers(1, 10))
        told = [k for k in np.roll(words, -1) if rng.random() < 0.8] or [words[0]]
        found.append(([f"e{k}" for k in words], [f"f{k}" for k in told]))
    return found


@pytest.mark.parametrize("m", [1, 2, 3, 7])
@pytest.mark.parametrize("n", [1, 2, 5, 9])
@pytest.mark.parametrize("tension", [0.1, 4.0, 14.0])
def test_diagonal_prior_is_the_formula(m, n, tension):
    out = np.empty(n)
    for j in range(m):
        total = diagonal_prior(j, m, n, tension, out)
        np.testing.assert_allclose(out / total, slow.prior(j + 1, m, n, tension), rtol=1e-12)


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("variational", [False, True])
def test_every_iteration_is_that_of_plain_loops(pairs, reverse, variational):
    settings = FastAlign(variational_bayes=variational)
    model = IBM2(count_cooccurrence(pairs), reverse, settings)
    directed = [pair[::-1] for pair in pairs] if reverse else pairs
    vocabulary = len({word for _, generated in directed for word in generated})
    tokens = sum(len(generated) for _, generated in directed)
    table, tension = (lambda e, f: 1 / vocabulary), 4.0
    moved = False
    for iteration in range(4):
        expected = model.expect()
        counts, likelihood, feature = slow.expectations(directed, table, tension, 0.08)
        assert expected.log_likelihood == pytest.approx(likelihood, rel=1e-10)
        assert expected.feature == pytest.approx(feature / tokens, rel=1e-10)
        linked = [count for e, row in counts.items() if e is not None for count in row.values()]
        assert sorted(expected.counts) == pytest.approx(sorted(linked))
        assert sorted(expected.null_counts) == pytest.approx(sorted(counts[None].values()))
        model.maximise(expected, tension=iteration > 0)
        if iteration > 0:
            tension = slow.climbed(directed, tension, feature / tokens)
        assert model.tension == pytest.approx(tension, rel=1e-9)
        moved = moved or tension not in (4.0, 0.1, 14.0)
        table = slow.estimated(counts, 0.01 if variational else 0)
    assert moved
    weights = [row for pair in directed for row in slow.weights(*pair, table, tension, 0.08)]
    # any of two equally near repeated words will do
    for place, row in zip(model.decode(), weights, strict=True):
        assert row[place + 1] == pytest.approx(max(row), rel=1e-9)


def test_likelihood_rises_every_iteration(pairs):
    settings = FastAlign(variational_bayes=False, optimise_tension=False)
    model = IBM2(count_cooccurrence(pairs), False, settings)
    values = []
    for _ in range(15):
        expected = model.expect()
        model.maximise(expected)
        values.append(expected.log_likelihood)
    assert np.all(np.diff(values) > 0)
    assert values[-1] > values[0] + 10


def divergence(counts, alpha):
    """KL(Dirichlet(alpha + counts) || Dirichlet(alpha))."""
    after, total = counts + alpha, counts.sum() + alpha * len(counts)
    constants = gammaln(total) - gammaln(alpha * len(counts)) - (gammaln(after) - gammaln(alpha)).sum()
    return constants + (counts * (psi(after) - psi(total))).sum()


def test_variational_bound_rises_every_iteration(pairs):
    model = IBM2(count_cooccurrence(pairs), False, FastAlign(optimise_tension=False))
    expected, bounds = model.expect(), []
    for _ in range(15):
        rows = [expected.counts[model.given_of_entry == e] for e in range(model.given_of_entry.max() + 1)]
        prior_cost = sum(divergence(row, 0.01) for row in [*rows, expected.null_counts])
        model.maximise(expected)
        expected = model.expect()
        bounds.append(expected.log_likelihood - prior_cost)
    assert np.all(np.diff(bounds) > 0)
    assert bounds[-1] > bounds[0] + 10


def test_no_null_word_links_every_word(pairs):
    model = IBM2(count_cooccurrence(pairs), False, FastAlign(null_probability=0))
    model.train()
    assert (model.decode() >= 0).all()
