"""Batches of rows of unequal length."""

import numpy as np

from crosslingua.laser.model import by_length
from crosslingua.nn.ragged import cut


def test_batches_hold_every_row_once_within_the_limit() -> None:
    lengths = np.array([3, 9, 4, 4, 1, 30, 2])
    found = list(by_length(lengths, 12))
    assert sorted(np.concatenate(found).tolist()) == list(range(7))
    assert [lengths[rows].tolist() for rows in found] == [[30], [9], [4, 4, 3], [2, 1]]


def test_rows_are_cut_in_their_order() -> None:
    first, second = ([2, 3, 9, 3, 3], [[0, 1], [2], [3, 4]]), ([2, 2, 3, 6], [[0, 1], [2], [3]])
    for lengths, expected in (first, second, ([100], [[0]]), ([], [])):
        assert [rows.tolist() for rows in cut(np.arange(len(lengths)), np.array(lengths), 6)] == expected
