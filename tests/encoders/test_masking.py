import numpy as np
import pytest

from crosslingua.encoders.batches import Batch, Masker
from encoders.tiny import SPECIALS

VOCABULARY = 500


def masked(rows=2000, tokens=47, probability=0.15, seed=1):
    rng = np.random.default_rng(seed)
    clean = rng.integers(5, VOCABULARY, size=(rows, tokens))
    clean[:, 0], clean[:, -1], clean[:, tokens // 2] = SPECIALS.start, SPECIALS.pad, SPECIALS.end
    batch = Batch(clean, clean != SPECIALS.pad, None, np.full(rows, tokens))
    Masker(probability, SPECIALS, VOCABULARY)(batch, rng)
    return batch


def test_shares_are_robertas():
    batch = masked()
    free, chosen = 44 * 2000, batch.labels[batch.filled]
    assert len(chosen) == batch.total == pytest.approx(0.15 * free, rel=0.01)
    hidden = np.take_along_axis(batch.ids, batch.columns, axis=1)[batch.filled]
    assert (hidden == SPECIALS.mask).mean() == pytest.approx(0.8, abs=0.01)
    assert (hidden == chosen).mean() == pytest.approx(0.1 + 0.1 / 495, abs=0.01)
    random = hidden[(hidden != SPECIALS.mask) & (hidden != chosen)]
    assert random.min() >= 5
    assert len(np.unique(random)) > 400


def test_every_row_has_its_share_and_every_place_its_chance():
    batch = masked()
    per_row = batch.filled.sum(1)
    assert set(per_row) == {6, 7}  # 0.15 · 44 = 6.6
    assert per_row.mean() == pytest.approx(6.6, abs=0.05)
    places = np.bincount(batch.columns[batch.filled], minlength=47)
    assert places[[0, 23, 46]].tolist() == [0, 0, 0]
    others = np.delete(places, [0, 23, 46]) / 2000
    assert np.abs(others - 0.15).max() < 5 * np.sqrt(0.15 * 0.85 / 2000)
    assert not batch.filled.all()
    assert not batch.columns[~batch.filled].any()  # which is in every part of a batch, however short


def test_only_chosen_places_change_and_labels_are_the_text():
    batch = masked(rows=50)
    chosen = np.zeros_like(batch.clean, dtype=bool)
    chosen[np.nonzero(batch.filled)[0], batch.columns[batch.filled]] = True
    assert (batch.ids[~chosen] == batch.clean[~chosen]).all()
    assert chosen.sum() == batch.total  # no place twice
    np.testing.assert_array_equal(batch.labels, np.take_along_axis(batch.clean, batch.columns, axis=1))


def test_everything_can_be_masked_or_nothing() -> None:
    batch = masked(rows=5, probability=1.0)
    assert batch.total == 5 * 44
    batch = masked(rows=5, probability=1e-9)
    assert batch.total == 0
    assert (batch.ids == batch.clean).all()
