"""The noise keeps its bounds."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crosslingua.translation.training import Noise, blanked, dropped, shuffled

LENGTHS, SEEDS = st.integers(1, 40), st.integers(0, 10**6)


@given(LENGTHS, st.integers(0, 6), SEEDS)
def test_no_word_moves_farther_than_allowed(n: int, farthest: int, seed: int) -> None:
    moved = shuffled(np.arange(n), farthest, np.random.default_rng(seed))
    assert sorted(moved) == list(range(n))
    assert abs(moved - np.arange(n)).max() <= farthest


def test_words_do_move_as_far_as_allowed() -> None:
    rng = np.random.default_rng(1)
    assert max(abs(shuffled(np.arange(30), 3, rng) - np.arange(30)).max() for _ in range(200)) == 3


# Trainings that ran before in this process may have switched subnormal numbers off.
@given(LENGTHS, st.floats(0, 0.99, allow_subnormal=False), SEEDS)
def test_words_that_are_left_keep_their_order_and_one_always_stays(n: int, share: float, seed: int) -> None:
    kept = dropped(np.arange(n), share, np.random.default_rng(seed))
    assert len(kept) >= 1
    assert (np.diff(kept) > 0).all()


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5])
def test_shares_are_what_they_are_called(share: float) -> None:
    rng, ids = np.random.default_rng(1), np.arange(20_000) + 10
    assert len(dropped(ids, share, rng)) == pytest.approx(20_000 * (1 - share), abs=300)
    assert (blanked(ids, share, 2, rng) == 2).sum() == pytest.approx(20_000 * share, abs=300)


def test_blanks_stand_where_words_stood() -> None:
    ids = np.arange(100) + 10
    found = blanked(ids, 0.3, 2, np.random.default_rng(1))
    assert set(found[found != ids]) == {2}
    assert len(found) == 100


def test_noise_is_the_same_for_a_seed_and_leaves_its_input_alone() -> None:
    ids, noise = np.arange(30) + 10, Noise(0.2, 0.2, 3, 2)
    first, second = (noise(ids, np.random.default_rng(5)) for _ in range(2))
    assert first.tolist() == second.tolist()
    assert ids.tolist() == list(range(10, 40))
    assert noise(ids, np.random.default_rng(6)).tolist() != first.tolist()
