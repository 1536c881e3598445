import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from crosslingua.tasks.comparison import SignTest, sign_test

COUNTS = st.integers(0, 40)


@given(COUNTS, COUNTS, COUNTS)
def test_p_value_is_scipys(wins: int, losses: int, ties: int) -> None:
    known = binomtest(wins, wins + losses).pvalue if wins + losses else 1.0
    assert SignTest(wins, losses, ties).p_value == pytest.approx(known, rel=1e-9)


def test_items_are_counted() -> None:
    assert sign_test([1, 2, 3, 4, 5], [0, 2, 4, 3, 3]) == SignTest(wins=3, losses=1, ties=1)


def test_five_wins_of_five_are_not_enough_at_5_percent_and_six_are() -> None:
    assert SignTest(5, 0, 0).p_value == 0.0625  # 2 / 2 ** 5
    assert SignTest(6, 0, 9).p_value == 0.03125


def test_another_number_of_items_is_refused() -> None:
    with pytest.raises(ValueError, match="shorter"):
        sign_test([1, 2], [1])
