"""The one-standard-error rule, on differences that are worked out by hand."""

import numpy as np
import pytest

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
