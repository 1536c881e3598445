import numpy as np
import pytest

from crosslingua.encoders.data import concatenate, from_bitext, from_text
from crosslingua.ragged import Ragged
from encoders.tiny import SPECIALS


def sentences(*lists):
    return Ragged.of(lists)


def rows(instances):
    return [row.tolist() for row in np.split(instances.ids, instances.offsets[1:-1])]


def test_text_by_hand():
    made, left_out = from_text(sentences([10, 11], [12], [], [13, 14, 15], [16] * 9), 1, SPECIALS, 8, True)
    assert rows(made) == [[0, 10, 11, 2, 12, 2], [0, 13, 14, 15, 2]]
    assert left_out == 2  # the empty one, and nine tokens where six are the most
    assert made.languages.tolist() == [[1, 1], [1, 1]]
    assert made.second.tolist() == [6, 5]


def test_bitext_by_hand():
    # Half of 12 is 6: its special token leaves 5, and each sentence costs one more than its length.
    source, target = sentences([10], [11, 12], [13], [14] * 5), sentences([20, 21], [22], [23, 24], [25])
    made, left_out = from_bitext(source, target, (0, 1), SPECIALS, 12, True)
    assert rows(made) == [[0, 10, 2, 11, 12, 2, 2, 20, 21, 2, 22, 2], [0, 13, 2, 2, 23, 24, 2]]
    assert left_out == 1
    assert made.second.tolist() == [6, 3]


@pytest.mark.parametrize("pack", [True, False])
def test_packing_is_greedy_and_loses_nothing(pack):
    rng = np.random.default_rng(1)
    lists = [rng.integers(5, 90, size=rng.integers(1, 9)).tolist() for _ in range(200)]
    made, left_out = from_text(sentences(*lists), 0, SPECIALS, 20, pack)
    expected, row = [], [0]
    for sentence in lists:
        if len(row) > 1 and (not pack or len(row) + len(sentence) + 1 > 20):
            expected.append(row)
            row = [0]
        row = [*row, *sentence, 2]
    assert rows(made) == [*expected, row]
    assert left_out == 0


def test_concatenation():
    one, _ = from_text(sentences([10, 11]), 0, SPECIALS, 8, True)
    two, _ = from_bitext(sentences([12]), sentences([13]), (0, 1), SPECIALS, 8, True)
    both = concatenate([one, two])
    assert rows(both) == [[0, 10, 11, 2], [0, 12, 2, 2, 13, 2]]
    assert both.second.tolist() == [4, 3]
    assert both.languages.tolist() == [[0, 0], [0, 1]]
