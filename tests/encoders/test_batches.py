from itertools import islice

import numpy as np
import pytest
import torch

from crosslingua.encoders.batches import Masker, assemble, batches_from
from crosslingua.encoders.data import concatenate, from_bitext, from_text
from crosslingua.ragged import Ragged
from encoders.tiny import SPECIALS


@pytest.fixture
def rows():
    rng = np.random.default_rng(1)
    lists = [rng.integers(5, 90, size=rng.integers(1, 30)).astype(np.int32) for _ in range(1000)]
    return from_text(Ragged.of(lists), 0, SPECIALS, 40, False)[0]


def take(number, *arguments, **options):
    return list(islice(batches_from(*arguments, **options), number))


def test_an_epoch_reads_every_row_once_beside_others_of_like_length(rows):
    batches = take(20, 0, rows, 50, "sequences", seed=1)
    assert sorted(np.concatenate(batches)) == list(range(1000))
    padded = sum(rows.lengths[batch].max() * len(batch) for batch in batches)
    assert padded < 1.1 * rows.lengths.sum()
    again = take(20, 20, rows, 50, "sequences", seed=1)
    assert sorted(np.concatenate(again)) == list(range(1000))
    assert any(set(a) != set(b) for a, b in zip(batches, again, strict=True))


def test_token_batches_keep_their_budget(rows):
    batches, seen = batches_from(0, rows, 400, "tokens", seed=1), []
    while len(seen) < 1000:
        seen += (batch := next(batches)).tolist()
        assert len(batch) * rows.lengths[batch].max() <= 400
    assert sorted(seen) == list(range(1000))


def test_going_on_from_any_step(rows):
    whole = take(50, 0, rows, 64, "sequences", seed=3)
    for start in (1, 14, 15, 16, 40):
        later = take(50 - start, start, rows, 64, "sequences", seed=3)
        assert all(np.array_equal(a, b) for a, b in zip(whole[start:], later, strict=True))


def test_assembled_rows():
    source, target = (Ragged.of(side) for side in ([[9], [8, 7]], [[6], [5]]))
    instances, _ = from_bitext(source, target, (1, 0), SPECIALS, 20, False)
    batch = assemble(instances, np.array([1, 0]), SPECIALS.pad, True)
    assert batch.clean.tolist() == [[0, 8, 7, 2, 2, 5, 2], [0, 9, 2, 2, 6, 2, 1]]
    assert batch.present.tolist() == [[True] * 7, [True] * 6 + [False]]
    assert batch.languages.tolist() == [[1, 1, 1, 1, 0, 0, 0], [1, 1, 1, 0, 0, 0, 0]]
    assert batch.second.tolist() == [4, 3]


@pytest.mark.parametrize("pack", [True, False])
def test_positions_begin_again_with_the_second_language(pack):
    first, second = (Ragged.of(side) for side in ([[9], [8, 7]], [[6], [5, 4, 3]]))
    pairs, _ = from_bitext(first, second, (0, 1), SPECIALS, 40, pack)
    text, _ = from_text(first, 0, SPECIALS, 40, pack)
    rows = concatenate([pairs, text])
    batch = assemble(rows, np.arange(len(rows)), SPECIALS.pad, True, restart_positions=True)
    for row, length in enumerate(rows.lengths):
        expected, place = [], 0
        for column in range(length):
            place = 0 if column == batch.second[row] else place
            expected.append(place)
            place += 1
        assert batch.positions[row, :length].tolist() == expected
    assert batch.positions.min() == 0
    assert batch.positions.max() < batch.clean.shape[1]
    if pack:  # <s> 9 </s> 8 7 </s> | </s> 6 </s> 5 4 3 </s>
        assert batch.positions[0].tolist() == [0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5, 6]
    assert assemble(rows, np.arange(len(rows)), SPECIALS.pad, True).positions is None
    assert assemble(text, np.arange(len(text)), SPECIALS.pad, True, restart_positions=True).positions is None


def test_parts_hold_what_the_whole_holds(rows):
    batch = assemble(rows, np.arange(10), SPECIALS.pad, False)
    Masker(0.3, SPECIALS, 90)(batch, np.random.default_rng(1))
    for index in range(3):
        part = batch.part(index, 3)
        width = part.clean.shape[1]
        np.testing.assert_array_equal(part.clean, batch.clean[index::3, :width])
        assert (batch.clean[index::3, width:] == SPECIALS.pad).all()
        assert part.labels[part.filled].tolist() == batch.labels[index::3][batch.filled[index::3]].tolist()
        assert (part.total, part.parts) == (batch.total, 3)


def test_no_padding_no_mask(rows):
    equal = np.flatnonzero(rows.lengths == rows.lengths[0])
    batch = assemble(rows, equal, SPECIALS.pad, False)
    Masker(0.3, SPECIALS, 90)(batch, np.random.default_rng(1))
    assert batch.tensors(torch.device("cpu")).present is None
