import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from crosslingua.tasks.questions import Candidate, candidates, n_best, widest_context, windows


@given(length=st.integers(1, 60), room=st.integers(2, 30), stride=st.integers(1, 15))
def test_each_piece_belongs_to_one_window_with_most_context(length: int, room: int, stride: int) -> None:
    found = windows(0, length, room, stride)
    owned = widest_context(found)
    for piece in range(length):
        owners = [n for n, w in enumerate(found) if w.start <= piece < w.stop and owned[n][piece - w.start]]
        scores = {
            n: min(piece - w.start, w.stop - 1 - piece) + 0.01 * (w.stop - w.start)
            for n, w in enumerate(found)
            if w.start <= piece < w.stop
        }
        assert owners == [max(scores, key=scores.get)]  # the first of equal ones


@given(st.integers(1, 12), st.integers(1, 12), st.integers(0, 10_000))
def test_the_best_span_is_that_of_all_pairs(length: int, longest: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    starts, ends = rng.normal(size=(2, length))
    allowed = rng.random(length) < 0.7
    found = candidates(starts, ends, allowed, 100, 50, longest)
    every = [
        (starts[i] + ends[j], 100 + i, 100 + j)
        for i in range(length)
        for j in range(i, min(length, i + longest))
        if allowed[i]
    ]
    assert [(c.first, c.last) for c in found] == [(i, j) for _, i, j in sorted(every, reverse=True)][:50]


def test_there_is_always_an_answer() -> None:
    """The only good end stands before the only good start."""
    starts, ends = np.array([0.0, 0, 0, 9]), np.array([9.0, 0, 0, -9])
    found = candidates(starts, ends, np.array([False, True, True, True]), 0, 1, 5)
    assert [(c.first, c.last) for c in found] == [(1, 1)]
    assert candidates(starts, ends, np.zeros(4, dtype=bool), 0, 1, 5) == []


def test_a_span_of_two_windows_counts_once_with_its_better_score() -> None:
    found = n_best(
        [Candidate(1.0, 3, 4), Candidate(2.0, 3, 4), Candidate(1.5, 0, 0), Candidate(1.5, 0, 1)], 3
    )
    assert found == [Candidate(2.0, 3, 4), Candidate(1.5, 0, 0), Candidate(1.5, 0, 1)]
