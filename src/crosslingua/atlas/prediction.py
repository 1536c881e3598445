"""The best strategy predicted before training, judged on pairs whose two languages the prediction has not seen.

A ridge regression maps what is known of a pair before training to the P@1 of each strategy. One regression is of the
mean of the strategies, one of their distances from that mean, which alone choose a strategy. Each takes its penalty
by leaving out one training pair at a time. The largest penalty leaves hardly more than the training pairs' means.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from crosslingua.atlas.cards import (
    BOTH,
    JOINT,
    MIN_PAIRS,
    SPACES,
    STRATEGIES,
    UNLIKE,
    Card,
    comparable,
    predictors,
)

PENALTIES = np.logspace(-1, 5, 13)
DRAWS = 2_000  # of the bootstrap
NEITHER, ITSELF = "both languages of a pair", "the pair itself"


def predict(cards: Iterable[Card], words: str = UNLIKE, seed: int = 0) -> dict[str, Any] | None:
    """Judge the prediction and the rules "always X". None for fewer than 8 pairs, or fewer than 8 to learn from.

    `rules` has, by rule, the share of pairs with the `right` strategy in percent and the mean `regret`, what the chosen
    strategy is behind the best in points of P@1, each with `_low` and `_high`. Right are the leader and each strategy
    that is not behind it by the interval of the comparison. Intervals are of a
    bootstrap over languages, in which a pair counts as often as both its languages are drawn together. `regret_less`
    has, for the other rules, how much less the prediction regrets. `beats_both` says whether it regrets less than
    "always both" and than "always joint", by these intervals.

    A pair learns from pairs without its languages, or, if these are fewer than 8, from pairs without both (`left_out`).
    `error` is the root mean square of what P@1 differs from what was expected, by strategy.
    """
    found = comparable(cards, words)
    values = np.array(
        [[condition["strategies"][kind]["value"] for kind in STRATEGIES] for _, condition in found]
    )
    guesses = _guesses([card for card, _ in found], values)
    if guesses is None:
        return None
    hoped = np.array([guess for guess, _ in guesses])
    chosen = {"predicted": hoped.argmax(axis=1)}
    chosen |= {f"always {kind}": np.full(len(found), place) for place, kind in enumerate(STRATEGIES)}
    fair = np.array([_right(condition) for _, condition in found])
    rows = np.arange(len(found))
    right = {rule: 100.0 * fair[rows, own] for rule, own in chosen.items()}
    regret = {rule: values.max(axis=1) - values[rows, own] for rule, own in chosen.items()}
    weights = _bootstrap([card["languages"] for card, _ in found], seed)
    rules = {
        rule: _interval("right", right[rule], weights) | _interval("regret", regret[rule], weights)
        for rule in chosen
    }
    less = {
        rule: _interval("regret", regret[rule] - regret["predicted"], weights)
        for rule in chosen if rule != "predicted"
    }  # fmt: skip
    by_pair = {
        card["pair"]: {
            "predicted": STRATEGIES[chosen["predicted"][i]], "right": bool(right["predicted"][i]),
            "regret": float(regret["predicted"][i]), "left_out": guesses[i][1],
            "expected": _named(np.clip(hoped[i], 0, 100)),
        }
        for i, (card, _) in enumerate(found)
    }  # fmt: skip
    alone = sum(left_out == ITSELF for _, left_out in guesses)
    return {
        "words": words,
        "pairs": len(found),
        "rules": rules,
        "regret_less": less,
        "beats_both": all(less[f"always {kind}"]["regret_low"] > 0 for kind in (BOTH, JOINT)),
        "left_out": NEITHER + (f" (of {alone} pairs only {ITSELF})" if alone else ""),
        "error": _named(np.sqrt(((np.clip(hoped, 0, 100) - values) ** 2).mean(axis=0))),
        "by_pair": by_pair,
    }


def expected(pair: Card, cards: Iterable[Card], words: str = UNLIKE) -> dict[str, float]:
    """Return the P@1 (0 to 100) of each strategy to expect of a pair outside the atlas, of which `languages`, `domain`
    and `statistics` are known. Raises ValueError for an atlas of fewer than 8 pairs.
    """
    found = comparable(cards, words)
    if len(found) < MIN_PAIRS:
        raise ValueError(f"an expectation needs {MIN_PAIRS} pairs, the atlas has {len(found)}")
    values = [[condition["strategies"][kind]["value"] for kind in STRATEGIES] for _, condition in found]
    known = [_known(card) for card, _ in found]
    guess = _ridge(np.array(known), np.array(values), np.array(_known(pair)))
    return _named(np.clip(guess, 0, 100))


def _named(values: np.ndarray) -> dict[str, float]:
    return dict(zip(STRATEGIES, values.tolist(), strict=True))


def _known(card: Card) -> list[float]:
    """Return what is known of a pair before training."""
    return [value for name, value in predictors(card).items() if name != SPACES and value is not None]


def _guesses(cards: Sequence[Card], values: np.ndarray) -> list[tuple[np.ndarray, str]] | None:
    """Return, for each pair, what other pairs let expect, and which of them were left out."""
    known = np.array([_known(card) for card in cards])
    spoken = [set(card["languages"]) for card in cards]
    guesses = []
    for i, own in enumerate(spoken):
        apart = [not own & other for other in spoken], [own != other for other in spoken]
        usable = [
            (rows, told)
            for rows, told in zip(apart, (NEITHER, ITSELF), strict=True)
            if sum(rows) >= MIN_PAIRS
        ]
        if not usable:
            return None
        rows, told = usable[0]
        guesses.append((_ridge(known[rows], values[rows], known[i]), told))
    return guesses or None


def _ridge(known: np.ndarray, values: np.ndarray, asked: np.ndarray) -> np.ndarray:
    """Return P@1 (strategies,) to expect for `asked` (k,), from `known` (n, k) and `values` (n, strategies)."""
    from sklearn.linear_model import RidgeCV
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    level = values.mean(axis=1, keepdims=True)
    parts = [
        make_pipeline(StandardScaler(), RidgeCV(PENALTIES)).fit(known, part).predict(asked[None])
        for part in (level, values - level)
    ]
    return np.ravel(parts[0]) + np.ravel(parts[1])


def _right(condition: Mapping[str, Any]) -> list[bool]:
    """Return whether each strategy counts as right: the leader, and what its lead is not told apart from."""
    behind = {one["over"] for one in condition["comparisons"] if one["low"] > 0}
    return [kind not in behind for kind in STRATEGIES]


def _bootstrap(pairs: Sequence[Sequence[str]], seed: int) -> np.ndarray:
    """Return weights (draws, pairs): how often languages drawn with replacement give a pair (Owen 2007)."""
    codes = sorted({code for pair in pairs for code in pair})
    drawn = np.random.default_rng(seed).multinomial(len(codes), np.full(len(codes), 1 / len(codes)), DRAWS)
    sources, targets = ([codes.index(pair[side]) for pair in pairs] for side in (0, 1))
    weights = drawn[:, sources] * drawn[:, targets]
    return weights[weights.sum(axis=1) > 0]


def _interval(name: str, values: np.ndarray, weights: np.ndarray) -> dict[str, float]:
    """Return the mean of `values` (pairs,) under `name`, and its 95 % percentiles over `weights` (draws, pairs)."""
    low, high = np.quantile(weights @ values / weights.sum(axis=1), (0.025, 0.975))
    return {name: float(values.mean()), f"{name}_low": float(low), f"{name}_high": float(high)}
