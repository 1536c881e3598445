"""What decides: the lead of each strategy over alignment, in points of P@1, explained by numbers of the pair.

The model of a lead y of the pair i of the languages a and b is

    y_i = intercept + effects · x_i + u_a + u_b + p_i + e_i

u is what a language adds in all its pairs, normal with one variance, whether it is the source or the target. p is what
only this pair adds, normal with one variance. e is the sampling error of seeds and test words; its variance is known
from the lead's interval and independent between pairs. The longer half of that interval counts as 1.96 standard
errors. Few seeds make intervals longer than that. So sampling errors are rather too large, and the variance of p is
rather too small.

Both variances are estimated by REML. Effects are those of generalised least squares. Their covariance has Kenward and
Roger's (1997) correction for estimated variances. Their intervals are Student's, with Satterthwaite's degrees of
freedom, at least a quarter of the languages, at most pairs less coefficients. Tests simulate that they cover.

Predictors are centred, so the intercept is the lead in a mean pair. All but yes and no are divided by their standard
deviation. A pair in two domains counts as two pairs.
"""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from crosslingua.atlas.cards import (
    ALIGNED,
    MIN_PAIRS,
    STRATEGIES,
    UNLIKE,
    YES_NO,
    Card,
    comparable,
    predictors,
)

COLLINEAR = 0.9  # R² of a predictor on those before it: its standard error is more than tripled
PAIRS_EACH = 4  # pairs that each predictor must have


class Fit(NamedTuple):
    """Coefficients (k,), their covariance (k, k) and degrees of freedom (k,); variances of pairs and languages (2,)."""

    coefficients: np.ndarray
    covariance: np.ndarray
    freedom: np.ndarray
    variances: np.ndarray

    def intervals(self, level: float = 0.95) -> list[dict[str, float]]:
        """Return `effect`, `low` and `high` of each coefficient."""
        from scipy.special import stdtrit

        margins = stdtrit(self.freedom, (1 + level) / 2) * np.sqrt(np.diag(self.covariance))
        rows = zip(self.coefficients.tolist(), margins.tolist(), strict=True)
        return [
            {"effect": effect, "low": effect - margin, "high": effect + margin} for effect, margin in rows
        ]


def decides(cards: Iterable[Card], words: str = UNLIKE) -> dict[str, Any] | None:
    """Return `words`, `pairs` and `languages` (numbers), `dropped` {predictor: reason}, and `leads`. None for fewer
    than 8 pairs.

    `leads` holds, for each strategy but alignment, its `intercept`, `effects` by predictor (each effect, low, high) and
    the standard deviations `between_pairs` and `between_languages`. Reads `leads` of the pairs' conditions.
    """
    found = comparable(cards, words)
    if len(found) < MIN_PAIRS:
        return None
    names, design, dropped = _design([card for card, _ in found])
    languages = membership(card["languages"] for card, _ in found)
    leads = {}
    for strategy in STRATEGIES:
        if strategy == ALIGNED:
            continue
        own = [condition["leads"][strategy] for _, condition in found]
        halves = np.array([max(lead["effect"] - lead["low"], lead["high"] - lead["effect"]) for lead in own])
        fit = mixed_model(np.array([lead["effect"] for lead in own]), design, (halves / 1.96) ** 2, languages)
        intercept, *effects = fit.intervals()
        between = dict(
            zip(("between_pairs", "between_languages"), np.sqrt(fit.variances).tolist(), strict=True)
        )
        leads[strategy] = {
            "intercept": intercept,
            "effects": dict(zip(names, effects, strict=True)),
            **between,
        }
    return {
        "words": words, "pairs": len(found), "languages": languages.shape[1], "dropped": dropped, "leads": leads
    }  # fmt: skip


def membership(languages: Iterable[Sequence[str]]) -> np.ndarray:
    """Return (pairs, languages): 1 for a pair's two languages, else 0."""
    pairs = list(languages)
    codes = sorted({code for pair in pairs for code in pair})
    return np.array([[float(code in pair) for code in codes] for pair in pairs])


def _design(cards: Sequence[Card]) -> tuple[list[str], np.ndarray, dict[str, str]]:
    """Return the names of kept predictors, ones and their columns (n, 1 + k), and why others are left out."""
    rows = [predictors(card) for card in cards]
    design = np.ones((len(rows), 1))
    names: list[str] = []
    dropped: dict[str, str] = {}
    for name in rows[0]:
        values = np.array([row[name] for row in rows], dtype=float)  # None becomes NaN
        centred = values - values.mean()
        if np.isnan(values).any():
            dropped[name] = "it is not measured in each pair"
        elif np.ptp(values) < 1e-9 * max(1.0, np.abs(values).max()):
            dropped[name] = "it is the same in each pair"
        elif len(names) >= len(rows) // PAIRS_EACH:
            dropped[name] = "there are too few pairs for another predictor"
        elif (explained := _explained(centred, design)) > COLLINEAR:
            dropped[name] = f"the predictors before it explain {100 * explained:.0f} % of its variance"
        else:
            scale = 1.0 if name in YES_NO else values.std(ddof=1)
            design, names = np.column_stack([design, centred / scale]), [*names, name]
    return names, design, dropped


def _explained(centred: np.ndarray, design: np.ndarray) -> float:
    """Return R² of a centred column (n,) on the columns of `design` (n, k)."""
    residual = centred - design @ np.linalg.lstsq(design, centred)[0]
    return 1 - float(residual @ residual) / float(centred @ centred)


def average(effects: Sequence[tuple[Sequence[str], float]]) -> Fit:
    """Fit the effect in the average pair to the languages and the effect of each pair, without known errors."""
    y = np.array([effect for _, effect in effects])
    return mixed_model(y, np.ones((len(y), 1)), np.zeros(len(y)), membership(own for own, _ in effects))


def mixed_model(y: np.ndarray, design: np.ndarray, known: np.ndarray, languages: np.ndarray) -> Fit:
    """Fit y (n,) = design (n, k) b + languages (n, languages) u + p + e by REML (module docstring).

    `known` (n,) are the variances of e; those of p and u are estimated. `design` has full rank, k < n.
    """
    from scipy.optimize import minimize

    parts = np.array([np.eye(len(y)), languages @ languages.T])
    ordinary = y - design @ np.linalg.lstsq(design, y)[0]
    scale = max(float(ordinary @ ordinary) / (len(y) - design.shape[1]), float(known.mean()), 1e-12)

    def covariance(variances: np.ndarray) -> np.ndarray:
        return np.diag(known) + np.tensordot(variances * scale, parts, axes=1)

    def criterion(variances: np.ndarray) -> float:
        """Return twice the negative logarithm of the restricted likelihood, but for a constant."""
        inverse = np.linalg.inv(v := covariance(variances))
        information = design.T @ inverse @ design
        residual = y - design @ np.linalg.solve(information, design.T @ inverse @ y)
        determinants = np.linalg.slogdet(v)[1] + np.linalg.slogdet(information)[1]
        return float(determinants + residual @ inverse @ residual)

    bounds = [(1e-8, None), (0.0, None)]  # the first above 0, so that V has an inverse where `known` is 0
    starts = [(0.9, 0.05), (0.1, 0.4), (0.01, 0.01)]
    tries = [minimize(criterion, start, bounds=bounds, method="L-BFGS-B") for start in starts]
    variances = min(tries, key=lambda one: float(one.fun)).x
    inverse = np.linalg.inv(covariance(variances))
    return _kenward_roger(y, design, inverse, parts, variances * scale, languages.shape[1])


def _kenward_roger(
    y: np.ndarray,
    design: np.ndarray,
    inverse: np.ndarray,
    parts: np.ndarray,
    variances: np.ndarray,
    languages: int,
) -> Fit:
    """Return the fit, given the `inverse` (n, n) of the covariance of y, which is linear in the `variances` (2,) of
    `parts` (2, n, n).
    """
    weighted = inverse @ design
    plain = np.linalg.inv(design.T @ weighted)
    coefficients = plain @ weighted.T @ y
    slopes = [weighted.T @ part @ weighted for part in parts]  # how X'V⁻¹X falls with each variance
    projection = inverse - weighted @ plain @ weighted.T
    pairs = [(i, j) for i in range(len(parts)) for j in range(len(parts))]
    expected = [np.trace(projection @ parts[i] @ projection @ parts[j]) / 2 for i, j in pairs]
    errors = np.linalg.pinv(np.reshape(expected, (len(parts), len(parts))))  # covariance of the variances
    added = sum(
        errors[i, j] * (weighted.T @ parts[i] @ inverse @ parts[j] @ weighted - slopes[i] @ plain @ slopes[j])
        for i, j in pairs
    )
    gradients = np.array(
        [np.diag(plain @ slope @ plain) for slope in slopes]
    )  # of each coefficient's variance
    spread = np.einsum("ik,ij,jk->k", gradients, errors, gradients)
    most = len(y) - design.shape[1]
    least = min(most, max(1, languages / 4))
    freedom = np.clip(2 * np.diag(plain) ** 2 / np.maximum(spread, 1e-300), least, most)
    return Fit(coefficients, plain + 2 * plain @ added @ plain, freedom, variances)
