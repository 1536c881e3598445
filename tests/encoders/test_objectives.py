"""Each loss against a plain, slow version; masks and instances."""

from collections import Counter
from copy import deepcopy

import numpy as np
import pytest
import torch

from crosslingua.encoders import data
from crosslingua.encoders.batches import Batch, Masker
from crosslingua.encoders.data import Pieces, concatenate, from_bitext, from_text, token_dictionary
from crosslingua.encoders.objectives import OBJECTIVES
from crosslingua.encoders.objectives.align_mlm import alignment_loss
from crosslingua.encoders.objectives.objective import Encoded, Setup
from crosslingua.errors import InputError
from crosslingua.nn.ragged import Ragged
from encoders.tiny import SPECIALS, model, pair_batch
from texts import written

CPU = torch.device("cpu")
DICTIONARY = np.array([[5, 20], [6, 21], [7, 22]])
VOCABULARY = 500


def made(name, **settings):
    """The objective with its published settings, but for those named."""
    return OBJECTIVES[name](Setup(OBJECTIVES.settings(name)(**settings), 2, 16, 30, SPECIALS, DICTIONARY))


def encoded(batch=None, every_state=False):
    batch = batch or pair_batch([(3, 4), (5, 2), (2, 2)])
    return Encoded(model(), batch.tensors(CPU), every_state)


def slow_prediction_loss(shown):
    """One row and one masked position at a time, over all logits."""
    batch, losses = shown.batch, []
    for row in range(len(batch.ids)):
        length = int(batch.present[row].sum())
        states = shown.model.hidden_states(batch.ids[row : row + 1, :length], None, None)[-1]
        for column, label, real in zip(batch.columns[row], batch.labels[row], batch.filled[row], strict=True):
            if real:
                logits = shown.model.logits(states[0, column])
                losses.append(logits.logsumexp(0) - logits[label])
    return sum(losses) / len(losses)


@pytest.mark.parametrize("name", ["mlm", "tlm", "dict_mlm"])
@pytest.mark.parametrize("every_state", [False, True])
def test_prediction(name, every_state):
    shown = encoded(every_state=every_state)
    torch.testing.assert_close(made(name)(shown), slow_prediction_loss(shown), atol=1e-6, rtol=1e-5)


def test_align_mlm_is_the_sum():
    shown = encoded()
    rows = shown.model.words.weight
    cosines = [torch.dot(rows[a], rows[b]) / (rows[a].norm() * rows[b].norm()) for a, b in DICTIONARY]
    expected = slow_prediction_loss(shown) - 10 * sum(cosines) / 3
    torch.testing.assert_close(made("align_mlm")(shown), expected, atol=1e-5, rtol=1e-5)


def test_align_reaches_the_dictionarys_rows_and_nothing_else():
    shown = encoded()
    words = shown.model.words.weight
    alignment_loss(words, made("align_mlm").pairs).backward()
    assert words.grad.abs().sum(1).nonzero().flatten().tolist() == sorted(DICTIONARY.flatten())
    assert all(p.grad is None for p in shown.model.parameters() if p is not words)


def code_switched(probability=0.5, languages=True, rows=3000):
    """A batch of text in two languages with its masks, and the same as DICT-MLM changes it."""
    rng = np.random.default_rng(1)
    clean = rng.integers(5, 30, size=(rows, 22))
    clean[:, 0], clean[:, -1] = SPECIALS.start, SPECIALS.end
    ids = np.repeat(rng.integers(2, size=(rows, 1)), 22, axis=1) if languages else None
    batch = Batch(clean, clean >= 0, ids, np.full(rows, 22))
    Masker(0.15, SPECIALS, 30)(batch, rng)
    before = deepcopy(batch)
    made("dict_mlm", dict_probability=probability).prepare(batch, rng)
    return before, batch


def test_dict_mlm_masks_half_and_translates_half_and_predicts_the_text():
    """Align_mlm, appendix G.4, position by position."""
    before, batch = code_switched()
    assert (batch.clean == before.clean).all()
    assert (batch.labels == np.take_along_axis(batch.clean, batch.columns, axis=1)).all()
    assert (batch.filled == before.filled).all()
    pairs = {**dict(DICTIONARY.tolist()), **{b: a for a, b in DICTIONARY.tolist()}}
    chosen = np.zeros(batch.clean.shape, dtype=bool)
    chosen[np.nonzero(batch.filled)[0], batch.columns[batch.filled]] = True
    seen = {True: Counter(), False: Counter()}  # of tokens in the dictionary and others
    for row, column in np.ndindex(batch.clean.shape):
        token, shown = int(batch.clean[row, column]), int(batch.ids[row, column])
        switched = batch.languages[row, column] != before.languages[row, column]
        if not chosen[row, column]:
            assert shown == token
            assert not switched
            continue
        what = {SPECIALS.mask: "mask", token: "left"}.get(shown, "random")
        if switched:
            assert shown == pairs[token]
            what = "translated"
        seen[token in pairs][what] += 1
    shares = {known: {what: n / found.total() for what, n in found.items()} for known, found in seen.items()}
    assert seen[True].total() + seen[False].total() == batch.total
    same, other = 0.05 / 25, 0.05 * 24 / 25  # one random token in 25 is the token itself
    expected = {"translated": 0.5, "mask": 0.4, "random": other, "left": 0.05 + same}
    assert shares[True] == pytest.approx(expected, abs=0.025)
    assert shares[False] == pytest.approx({"mask": 0.4, "random": other, "left": 0.55 + same}, abs=0.025)


def test_dict_mlm_without_language_ids_and_at_the_ends():
    assert code_switched(languages=False)[1].languages is None
    before, batch = code_switched(probability=0.0)
    assert (batch.ids == before.ids).all()
    assert not (code_switched(probability=1.0)[1].ids == SPECIALS.mask).any()


def test_translations_take_the_first():
    table = data.translations(np.array([[5, 20], [5, 21], [6, 20]]), 25)
    assert {i: t for i, t in enumerate(table.tolist()) if t >= 0} == {5: 20, 6: 20, 20: 5, 21: 5}


def test_a_batch_without_masks_costs_nothing():
    batch = pair_batch([(3, 4)])
    batch.filled[:] = False
    batch.total = 0
    shown = encoded(batch)
    loss = made("mlm")(shown)
    loss.backward()
    assert loss == 0
    assert not shown.model.layers[0].attention["self"]["query"].weight.grad.any()


def test_dictionaries(tiny_world, tmp_path):
    pieces = Pieces(tiny_world / "tok")
    pairs = tiny_world / "tok" / "token_pairs.tsv"
    number = len(pairs.read_text().splitlines())
    quarter = token_dictionary(pairs, pieces, 0.25, 1)
    assert len(quarter) == round(number / 4)
    assert ((quarter[:, 1] - quarter[:, 0]) == number).all()
    with pytest.raises(InputError, match="none of its 1 pairs"):
        token_dictionary(written(tmp_path / "strange.txt", "zzz qqq\n"), pieces, 1.0, 1)
    with pytest.raises(InputError, match="is none"):
        token_dictionary(pairs, pieces, 0.001, 1)


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
    assert masked(rows=5, probability=1.0).total == 5 * 44
    batch = masked(rows=5, probability=1e-9)
    assert batch.total == 0
    assert (batch.ids == batch.clean).all()


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
