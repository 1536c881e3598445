import pytest

from crosslingua.tasks.scoring import SHARE, gains_by_pretraining, is_learnt


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


@pytest.mark.parametrize(
    ("supervised", "untrained", "expected"),
    [
        ([42.0], [37.4], False),  # 4.6 of 62.6
        ([46.7, 47.0], [37.0, 37.6], True),
        ([87.2], [83.8], True),  # 3.4 of 16.2: tags of words leave little
        ([85.0], [83.8], False),
    ],
)
def test_pretraining_has_to_take_a_share_of_what_random_weights_leave(
    supervised: list[float], untrained: list[float], expected: bool
) -> None:
    assert gains_by_pretraining(supervised, untrained) is expected
    assert gains_by_pretraining([100 * (1 / 3 + 2 / 3 * SHARE) + 0.1], [100 / 3]) is True
    assert is_learnt([100 / 3 + 100 * 2 / 3 * SHARE + 0.1], 100 / 3)  # of three classes both ask for as much
