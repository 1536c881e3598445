"""The one-standard-error rule, on differences that are worked out by hand."""

import numpy as np
import pytest

from crosslingua.io.vectors import WordVectors
from crosslingua.lexicon_induction import choice
from crosslingua.lexicon_induction.choice import one_standard_error


def right(*queries: int, of: int = 20) -> list[float]:
    return [float(query in queries) for query in range(of)]


@pytest.mark.parametrize(
    ("first", "second", "chosen"),
    [
        ((), (1,), "first"),  # 1 of 20: mean 0.05, its standard error 0.05
        ((), (1, 2), "second"),  # 2 of 20, all one way: 0.1 against sqrt(0.1 * 0.9 / 19) = 0.069
        ((3,), (1, 2, 4), "first"),  # 3 against 1: 0.1 against sqrt((0.2 - 0.01) / 19) = 0.1
        ((1, 2), (), "first"),
        ((1, 2), (1, 2), "first"),
    ],
)
def test_the_first_candidate_stays_unless_the_best_is_surely_better(first, second, chosen) -> None:
    assert one_standard_error({"first": right(*first), "second": right(*second)}) == chosen


def test_order_is_preference_among_those_within() -> None:
    scores = {"a": right(), "b": right(*range(8)), "c": right(*range(9))}
    assert one_standard_error(scores) == "b"


def test_values_need_not_be_hits_and_one_item_has_no_error() -> None:
    assert one_standard_error({"a": [0.5], "b": [0.6]}) == "b"
    noise = np.random.default_rng(0).normal(size=1000)
    assert one_standard_error({"a": noise, "b": noise + 0.01}) == "b"


def test_settings_are_chosen_by_the_rule_that_leads_in_tables() -> None:
    # The languages share their vectors: a is right, b, translated as c, is wrong.
    vectors = WordVectors(["a", "b", "c"], np.eye(3, dtype=np.float32))
    pairs = [("a", "a"), ("b", "c")]
    spelled_alike = [
        (f"w{i}", f"w{i}") for i in range(8)
    ]  # without vectors; the program counts them as right
    assert choice.right(vectors, vectors, pairs) == {"a": 1.0, "b": 0.0}
    assert choice.right(vectors, vectors, pairs + spelled_alike) == {"a": 1.0, "b": 0.0}
    covered = [("c", "c"), ("c", "b"), *pairs, ("w", "w")]  # 3 of 4 words: below 80 %
    assert choice.right(vectors, vectors, covered) == {"c": 1.0, "a": 1.0, "b": 0.0}
    many = WordVectors([*"abcd"], np.eye(4, dtype=np.float32))  # 4 of 5
    found = choice.right(many, many, [("d", "d"), ("c", "c"), *pairs, ("w", "w")])
    assert found == {"d": 1.0, "c": 1.0, "a": 1.0, "b": 0.0, "w": 1.0}
