"""Predictions of winners: regressions against brute force, judgements by hand, languages that stay unseen."""

from copy import deepcopy
from math import log10

import numpy as np
import pytest

from atlas.made_cards import atlas, made, with_values
from crosslingua.atlas import prediction
from crosslingua.atlas.cards import STRATEGIES
from crosslingua.atlas.prediction import PENALTIES, expected, predict


def by_size(card: dict) -> list[float]:
    """P@1 where large texts favour `both` and small ones `joint`, the rest being behind."""
    size = log10(min(card["statistics"]["text_words"])) - 5.5
    level = 20 + card["statistics"]["spelt_alike"] / 4
    return [level - 5, level - 8 * size, level - 5, level + 8 * size]


def test_a_winner_that_text_size_decides_is_predicted_in_unseen_languages() -> None:
    found = predict(atlas(np.random.default_rng(0), by_size))
    assert found is not None
    assert found["rules"]["predicted"]["right"] > 90
    assert found["rules"]["predicted"]["regret"] < 0.2
    assert found["beats_both"]
    assert found["left_out"] == "both languages of a pair"
    assert max(found["error"].values()) < 1
    rules = {rule: one["regret"] for rule, one in found["rules"].items()}
    assert [*rules] == ["predicted", *(f"always {kind}" for kind in STRATEGIES)]
    less = found["regret_less"]["always both"]["regret"]
    assert less == pytest.approx(rules["always both"] - rules["predicted"])
    for one in found["rules"].values():
        assert one["right_low"] <= one["right"] <= one["right_high"]
        assert one["regret_low"] <= one["regret"] <= one["regret_high"]


def test_where_one_strategy_is_best_by_chance_alone_the_prediction_beats_no_rule() -> None:
    rng = np.random.default_rng(1)
    found = predict(atlas(rng, lambda card: [15, *rng.normal(15, 2, 2), rng.normal(16, 2)]))
    assert found is not None
    assert not found["beats_both"]


def test_right_and_regret_by_hand() -> None:
    """One pair is decided, of one the winner is not; in each, `both` is 3 points ahead, `joint` the next."""
    rng = np.random.default_rng(2)
    cards = atlas(rng, lambda card: [10, 12, 11, 15], 20)
    cards = [
        with_values(card | {"conditions": []}, [10, 14.5, 11, 15] if i < 5 else [10, 12, 11, 15])
        for i, card in enumerate(cards)
    ]
    found = predict(cards)
    assert found is not None
    rules = found["rules"]
    assert rules["always both"]["right"] == 100
    assert rules["always both"]["regret"] == 0
    assert rules["always joint"]["right"] == pytest.approx(25)  # 0.5 points behind: not told apart
    assert rules["always joint"]["regret"] == pytest.approx((5 * 0.5 + 15 * 3) / 20)
    assert rules["always aligned"]["right"] == 0
    assert rules["always aligned"]["regret"] == pytest.approx(5)
    assert rules["always aligned"]["regret_low"] == pytest.approx(5)
    one = found["by_pair"][cards[0]["pair"]]
    assert (one["predicted"], one["right"], one["regret"]) == ("both", True, 0)
    assert [*one["expected"]] == [*STRATEGIES]


def test_what_is_expected_of_a_pair_does_not_depend_on_its_languages() -> None:
    rng = np.random.default_rng(3)
    cards = atlas(rng, lambda card: rng.uniform(5, 30, 4).tolist())
    others = deepcopy(cards)
    own = set(cards[0]["languages"])
    changed = [card for card in others if own & set(card["languages"])]
    assert len(changed) > 3
    for card in changed:
        card["conditions"] = with_values(card | {"conditions": []}, [90, 1, 50, 20])["conditions"]
    before, after = predict(cards), predict(others)
    assert before is not None
    assert after is not None
    name, apart = cards[0]["pair"], next(card["pair"] for card in cards if not own & set(card["languages"]))
    assert before["by_pair"][name]["expected"] == after["by_pair"][name]["expected"]
    assert before["by_pair"][apart]["expected"] != after["by_pair"][apart]["expected"]


def test_where_most_pairs_share_a_language_only_the_pair_itself_is_left_out() -> None:
    rng = np.random.default_rng(4)
    codes = ["cs", "de", "es", "et", "eu", "fi", "fr", "hu", "it", "pl"]
    cards = [with_values(made(("en", code), rng), rng.uniform(5, 30, 4).tolist()) for code in codes]
    found = predict(cards)
    assert found is not None
    assert found["left_out"] == "both languages of a pair (of 10 pairs only the pair itself)"
    assert {one["left_out"] for one in found["by_pair"].values()} == {"the pair itself"}
    assert predict(cards[:8]) is None  # seven pairs are too few to learn from
    assert predict([]) is None


def test_the_regression_is_that_of_brute_force() -> None:
    """Ridge by its normal equations, and its penalty by fits that leave out one pair after the other."""
    rng = np.random.default_rng(5)
    known, asked = rng.normal(3, 2, (25, 4)), rng.normal(3, 2, 4)
    values = known @ rng.normal(size=(4, 4)) + rng.normal(0, 2, (25, 4)) + 20
    x, query = ((each - known.mean(axis=0)) / known.std(axis=0) for each in (known, asked))

    def fitted(x: np.ndarray, y: np.ndarray, at: np.ndarray, penalty: float) -> np.ndarray:
        mean = x.mean(axis=0)
        slopes = np.linalg.solve(
            (x - mean).T @ (x - mean) + penalty * np.eye(4), (x - mean).T @ (y - y.mean(0))
        )
        return y.mean(axis=0) + (at - mean) @ slopes

    def error(y: np.ndarray, penalty: float) -> float:
        rest = [np.arange(25) != i for i in range(25)]
        return sum(
            float(((fitted(x[keep], y[keep], x[i], penalty) - y[i]) ** 2).sum())
            for i, keep in enumerate(rest)
        )

    level = values.mean(axis=1, keepdims=True)
    guess = sum(
        fitted(x, part, query, min(PENALTIES, key=lambda penalty: error(part, penalty)))
        for part in (level, values - level)
    )
    assert prediction._ridge(known, values, asked) == pytest.approx(guess)


def test_a_new_pair_is_expected_without_vectors() -> None:
    rng = np.random.default_rng(6)
    cards = atlas(rng, by_size)
    new = made(("sl", "sw"), rng)
    new["statistics"]["eigen_similarity"] = None
    found = expected({name: new[name] for name in ("languages", "domain", "statistics")}, cards)
    assert [found[kind] for kind in STRATEGIES] == pytest.approx(by_size(new), abs=0.5)
    with pytest.raises(ValueError, match="needs 8 pairs, the atlas has 7"):
        expected(new, cards[:7])


def test_a_pair_is_drawn_as_often_as_both_its_languages() -> None:
    # Three languages: each once (6 of 27 draws), two and one of them (18), or one alone (3), which makes no pair.
    weights = prediction._bootstrap([("a", "b"), ("a", "c"), ("b", "c")], 0)
    rows, numbers = np.unique(weights, axis=0, return_counts=True)
    assert rows.tolist() == [[0, 0, 2], [0, 2, 0], [1, 1, 1], [2, 0, 0]]
    assert numbers.sum() == pytest.approx(2000 * 24 / 27, rel=0.03)
    assert numbers / numbers.sum() == pytest.approx([0.25] * 4, abs=0.04)
