"""The mixed model against least squares and likelihoods by other ways, and its intervals against known effects."""

from math import log10

import numpy as np
import pytest
from scipy import stats
from scipy.linalg import null_space

from atlas.made_cards import CODES, atlas, made, pairs_of, with_values
from crosslingua.atlas.decides import decides, mixed_model

NOBODY = np.zeros((30, 2))  # no language


def members(pairs: list[tuple[str, str]]) -> np.ndarray:
    return np.array([[float(code in pair) for code in CODES] for pair in pairs])


def test_without_languages_and_known_errors_it_is_least_squares() -> None:
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(2, 30))
    fit = mixed_model(y, np.column_stack([np.ones(30), x]), np.zeros(30), NOBODY)
    expected = stats.linregress(x, y)
    margin = stats.t.ppf(0.975, 28) * expected.stderr
    found = fit.intervals()[1]
    assert (found["effect"], found["low"], found["high"]) == pytest.approx(
        (expected.slope, expected.slope - margin, expected.slope + margin), rel=1e-4
    )
    assert fit.freedom == pytest.approx([28, 28])


def test_where_known_errors_explain_all_it_is_weighted_least_squares() -> None:
    rng = np.random.default_rng(1)
    design = np.column_stack([np.ones(30), rng.normal(size=(30, 2))])
    known = rng.uniform(0.5, 4, 30)
    y = design @ [1, 2, 3] + 0.3 * np.sqrt(known) * rng.normal(size=30)
    roots = np.sqrt(known)
    expected = np.linalg.lstsq(design / roots[:, None], y / roots)[0]
    fit = mixed_model(y, design, known, NOBODY)
    assert fit.variances[0] < 1e-6
    assert fit.coefficients == pytest.approx(expected, rel=1e-5)


def test_variances_maximise_the_likelihood_of_contrasts_without_effects() -> None:
    """REML is the likelihood of n - k contrasts that the design does not reach, here with their normal density."""
    rng = np.random.default_rng(2)
    pairs = pairs_of(rng)
    membership, design = members(pairs), np.column_stack([np.ones(46), rng.normal(size=(46, 3))])
    known = rng.uniform(0.2, 2, 46)
    y = design @ [1, 0, 2, -1] + membership @ rng.normal(0, 1.5, len(CODES)) + rng.normal(0, 1.5, 46)
    fit = mixed_model(y, design, known, membership)
    contrasts = null_space(design.T)

    def likelihood(variances: np.ndarray) -> float:
        v = np.diag(known) + variances[0] * np.eye(46) + variances[1] * membership @ membership.T
        return stats.multivariate_normal(cov=contrasts.T @ v @ contrasts).logpdf(contrasts.T @ y)

    best = likelihood(fit.variances)
    grid = [np.array([a, b]) for a in np.linspace(0, 6, 25) for b in np.linspace(0, 6, 25)]
    assert best > max(map(likelihood, grid)) - 1e-6
    assert best - min(likelihood(fit.variances * by) for by in ([1.1, 1], [0.9, 1], [1, 1.1], [1, 0.9])) > 0
    v = np.diag(known) + fit.variances[0] * np.eye(46) + fit.variances[1] * membership @ membership.T
    root = np.linalg.inv(np.linalg.cholesky(v))
    assert fit.coefficients == pytest.approx(np.linalg.lstsq(root @ design, root @ y)[0])


def test_covariance_and_freedom_are_those_of_numerical_derivatives() -> None:
    """What estimated variances add is twice the variance that the estimator has by its slope in them (Kackar and
    Harville 1984); Satterthwaite's freedom compares a variance with its own standard error by the same slopes.
    """
    rng = np.random.default_rng(7)
    pairs = pairs_of(rng)
    membership, design = members(pairs), np.column_stack([np.ones(46), rng.normal(size=(46, 2))])
    known = rng.uniform(0.2, 2, 46)
    y = membership @ rng.normal(0, 1.5, len(CODES)) + rng.normal(0, 1.5, 46)
    fit = mixed_model(y, design, known, membership)
    parts = [np.eye(46), membership @ membership.T]

    def estimator(variances: np.ndarray) -> np.ndarray:
        """The weights (k, n) that make coefficients of y."""
        root = np.linalg.inv(np.linalg.cholesky(np.diag(known) + np.tensordot(variances, parts, axes=1)))
        return np.linalg.pinv(root @ design) @ root

    v = np.diag(known) + np.tensordot(fit.variances, parts, axes=1)
    steps = 1e-4 * np.eye(2)
    plain = estimator(fit.variances) @ v @ estimator(fit.variances).T
    slopes = [(estimator(fit.variances + h) - estimator(fit.variances - h)) / 2e-4 for h in steps]
    contrasts = null_space(design.T)
    halves = [np.linalg.solve(contrasts.T @ v @ contrasts, contrasts.T @ part @ contrasts) for part in parts]
    errors = np.linalg.inv([[np.trace(one @ other) / 2 for other in halves] for one in halves])
    added = sum(2 * errors[i, j] * slopes[i] @ v @ slopes[j].T for i in (0, 1) for j in (0, 1))
    assert fit.covariance == pytest.approx(plain + added, rel=1e-4, abs=1e-8)

    def squares(variances: np.ndarray) -> np.ndarray:
        c = estimator(variances)
        return np.diag(c @ (np.diag(known) + np.tensordot(variances, parts, axes=1)) @ c.T)

    gradients = np.array([(squares(fit.variances + h) - squares(fit.variances - h)) / 2e-4 for h in steps])
    freedom = 2 * np.diag(plain) ** 2 / np.einsum("ik,ij,jk->k", gradients, errors, gradients)
    assert (freedom > len(CODES) / 4).all()
    assert (freedom < 43).all()
    assert fit.freedom == pytest.approx(freedom, rel=1e-3)


@pytest.mark.parametrize(
    ("own", "language", "least", "most"), [(1, 1, 0.92, 0.98), (0.3, 2, 0.92, 0.985), (0, 0, 0.95, 1)]
)
def test_intervals_cover_known_effects(own: float, language: float, least: float, most: float) -> None:
    """Numbers of languages and numbers of pairs, with errors of languages, pairs and samples."""
    rng = np.random.default_rng(3)
    covered = []
    for _ in range(60):
        pairs = pairs_of(rng)
        of_languages = rng.normal(size=(len(CODES), 3))
        columns = [of_languages[[CODES.index(code) for code in pair]].min(axis=0) for pair in pairs]
        design = np.column_stack([np.ones(46), columns, rng.normal(size=(46, 3))])
        effects, known, membership = rng.normal(size=7), rng.uniform(0.3, 2, 46), members(pairs)
        y = design @ effects + membership @ rng.normal(0, language, len(CODES))
        y += rng.normal(0, own, 46) + rng.normal(0, np.sqrt(known))
        found = mixed_model(y, design, known, membership).intervals()
        covered += [one["low"] <= effect <= one["high"] for one, effect in zip(found, effects, strict=True)]
    assert least <= np.mean(covered) <= most


def test_effects_of_the_cards_are_found_by_name_and_per_standard_deviation() -> None:
    rng = np.random.default_rng(4)

    def values(card: dict) -> list[float]:
        size, novels = log10(min(card["statistics"]["text_words"])), card["domain"] == "novels"
        noise = rng.normal(0, 0.2, 3)
        return [10, 10 + 3 * (size - 5.5) + noise[0], 12 + noise[1], 11 + 2 * novels + noise[2]]

    cards = atlas(rng, values)
    sizes = [log10(min(card["statistics"]["text_words"])) for card in cards]
    found = decides(cards)
    assert found is not None
    assert (found["words"], found["pairs"], found["languages"]) == ("not spelt alike", 46, 17)
    assert [*found["leads"]] == ["joint", "joint then mapped", "both"]
    joint, mapped, both = (found["leads"][kind] for kind in found["leads"])
    assert joint["effects"]["log10 text words"]["effect"] == pytest.approx(
        3 * np.std(sizes, ddof=1), abs=0.15
    )
    assert mapped["intercept"]["effect"] == pytest.approx(2, abs=0.2)
    assert both["effects"]["novels"]["effect"] == pytest.approx(2, abs=0.3)
    assert both["effects"]["novels"]["low"] > 1
    nothing = both["effects"]["log10 text words"]
    assert nothing["low"] < 0 < nothing["high"]
    assert set(joint["effects"]) == {
        "log10 text words", "log10 dictionary words", "spelt alike", "type-token ratio", "same script",
        "family distance", "eigen similarity", "novels",
    }  # fmt: skip
    assert decides(cards, "all") is None  # no condition has these words


def test_predictors_that_tell_nothing_are_dropped_with_the_reason() -> None:
    rng = np.random.default_rng(5)
    cards = atlas(rng, lambda card: [10, *rng.normal(12, 1, 3)])
    for card in cards:
        card["domain"] = "novels"
        card["statistics"]["spelt_alike"] = 50 * log10(card["statistics"]["train_words"])
    cards[3]["statistics"]["eigen_similarity"] = None
    found = decides(cards)
    assert found is not None
    assert found["dropped"] == {
        "spelt alike": "the predictors before it explain 100 % of its variance",
        "eigen similarity": "it is not measured in each pair",
        "novels": "it is the same in each pair",
    }
    assert len(found["leads"]["both"]["effects"]) == 5
    few = decides(cards[:8])
    assert few is not None
    assert [*few["leads"]["both"]["effects"]] == ["log10 text words", "log10 dictionary words"]


def test_only_comparable_pairs_count_and_eight_are_needed() -> None:
    rng = np.random.default_rng(6)
    cards = atlas(rng, lambda card: [10, *rng.normal(12, 1, 3)], 8)
    lone = with_values(made(("fi", "hu"), rng), [1, 2, 3, 4])
    del lone["conditions"][0]["strategies"]["both"]
    undirected = with_values(made(("fi", "hu"), rng), [1, 2, 3, 4])
    undirected["conditions"][0]["supervision"] = "none"
    curve = with_values(made(("fi", "hu"), rng), [1, 2, 3, 4]) | {"curve": {"of": "fi-hu", "words": 1}}
    found = decides([*cards, lone, undirected, curve])
    assert found is not None
    assert found["pairs"] == 8
    assert decides([*cards[1:], lone, undirected, curve]) is None
