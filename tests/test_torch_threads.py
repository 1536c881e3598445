"""The number of torch's threads, and that its mathematics is called in one thread before it is in two."""

from collections.abc import Iterator

import pytest
import torch

from crosslingua.optimiser import use_threads
from crosslingua.word_aligners.aligner import _side_by_side


@pytest.fixture(autouse=True)
def threads() -> Iterator[None]:
    before = torch.get_num_threads()
    yield
    torch.set_num_threads(before)


def test_the_number_is_the_one_that_is_asked_for() -> None:
    for number in (2, 1):
        use_threads(number)
        assert torch.get_num_threads() == number


def test_mkl_has_chosen_its_kernels_before_threads_begin(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two threads that ask first came to other last bits: once in two hundred runs, too seldom to wait for here."""
    chosen: list[int] = []
    logarithm = torch.log
    monkeypatch.setattr(torch, "log", lambda x: (chosen.append(torch.get_num_threads()), logarithm(x))[1])
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    assert _side_by_side(lambda item: (item, tuple(chosen)), [1, 2]) == [(1, (1,)), (2, (1,))]
