from __future__ import annotations

import pytest

from crosslingua.tasks.learnt import is_learnt


@pytest.mark.parametrize(
    ("supervised", "floor", "expected"),
    [
        ([44.0, 43.0], 33.3, True),
        ([44.0, 42.0], 33.3, False),
        ([62.9], 56.9, False),
        ([3.0], None, True),
        ([4.8], 0.0, False),
        ([10.5], 0.0, True),
    ],
)
def test_learnt_is_well_above_the_most_frequent_answer(
    supervised: list[float], floor: float | None, expected: bool
) -> None:
    assert is_learnt(supervised, floor) is expected
