"""Each loss against a plain, slow version."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from crosslingua.encoders.dictionary import token_dictionary, translations
from crosslingua.encoders.objectives import OBJECTIVES
from crosslingua.encoders.objectives.align_mlm import alignment_loss
from crosslingua.encoders.objectives.objective import Encoded, Setup
from crosslingua.encoders.pieces import Pieces
from crosslingua.errors import InputError
from encoders.tiny import SPECIALS, model, pair_batch

CPU = torch.device("cpu")
DICTIONARY = np.array([[5, 20], [6, 21], [7, 22]])


def made(name):
    """The objective with its published settings."""
    return OBJECTIVES[name](Setup(OBJECTIVES[name].Settings(), 2, 16, 30, SPECIALS, DICTIONARY))


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
    loss = made(name)(shown)
    torch.testing.assert_close(loss, slow_prediction_loss(shown), atol=1e-6, rtol=1e-5)


def test_align_by_hand():
    embeddings = torch.tensor([[1.0, 0.0], [0.0, 2.0], [3.0, 3.0]])
    pairs = torch.tensor([[0, 1], [0, 2]])
    assert alignment_loss(embeddings, pairs).item() == pytest.approx(-(0 + math.sqrt(0.5)) / 2)


def test_align_mlm_is_the_sum():
    shown = encoded()
    rows = shown.model.words.weight
    cosines = [torch.dot(rows[a], rows[b]) / (rows[a].norm() * rows[b].norm()) for a, b in DICTIONARY]
    expected = slow_prediction_loss(shown) - 10 * sum(cosines) / 3
    torch.testing.assert_close(made("align_mlm")(shown), expected, atol=1e-5, rtol=1e-5)


def test_align_reaches_the_dictionarys_rows_and_nothing_else():
    shown = encoded()
    objective = made("align_mlm")
    alignment_loss(shown.model.words.weight, objective.pairs).backward()
    touched = shown.model.words.weight.grad.abs().sum(1).nonzero().flatten().tolist()
    assert touched == sorted(DICTIONARY.flatten())
    assert all(p.grad is None for name, p in shown.model.named_parameters() if name != "words.weight")


def test_dict_mlm_translates_half_of_the_labels_in_the_dictionary():
    batch = pair_batch([(3, 3)])
    rng = np.random.default_rng(1)
    batch.labels = rng.integers(5, 30, size=(400, 50))
    before, ids = batch.labels.copy(), batch.ids.copy()
    made("dict_mlm").prepare(batch, rng)
    pairs = {**dict(DICTIONARY.tolist()), **{b: a for a, b in DICTIONARY.tolist()}}
    known = np.isin(before, list(pairs))
    changed = batch.labels != before
    assert not changed[~known].any()
    assert changed[known].mean() == pytest.approx(0.5, abs=0.03)
    assert all(pairs[a] == b for a, b in zip(before[changed], batch.labels[changed], strict=True))
    assert (batch.ids == ids).all()  # the input is as MLM's


def test_translations_take_the_first():
    table = translations(np.array([[5, 20], [5, 21], [6, 20]]), 25)
    assert {i: t for i, t in enumerate(table.tolist()) if t >= 0} == {5: 20, 6: 20, 20: 5, 21: 5}


def test_parts_add_up():
    batch = pair_batch([(3, 4), (5, 2), (2, 2), (4, 4)])
    ours = model()
    for name in ("mlm", "align_mlm", "dwa"):
        torch.manual_seed(1)
        objective = made(name)
        whole = objective(Encoded(ours, batch.tensors(CPU), True))
        parts = [objective(Encoded(ours, batch.part(i, 3).tensors(CPU), True)) for i in range(3)]
        torch.testing.assert_close(sum(parts), whole, atol=1e-5, rtol=1e-5)


def test_a_batch_without_masks_costs_nothing():
    batch = pair_batch([(3, 4)])
    batch.filled[:] = False
    batch.total = 0
    shown = encoded(batch)
    loss = made("mlm")(shown)
    loss.backward()
    assert loss == 0
    assert not shown.model.layers[0].query.weight.grad.any()


def test_dictionaries(tiny_world, tmp_path):
    pieces = Pieces(tiny_world / "tok")
    pairs = tiny_world / "tok" / "token_pairs.tsv"
    number = len(pairs.read_text().splitlines())
    quarter = token_dictionary(pairs, pieces, 0.25, 1, words=False)
    assert len(quarter) == round(number / 4)
    assert ((quarter[:, 1] - quarter[:, 0]) == number).all()
    (tmp_path / "words.txt").write_text(". .\nzzz qqq\n")
    assert token_dictionary(tmp_path / "words.txt", pieces, 1.0, 1, words=True).tolist() == [
        [pieces.one_piece("."), pieces.one_piece(".")]
    ]
    (tmp_path / "strange.txt").write_text("zzz qqq\n")
    with pytest.raises(InputError, match="none of its 1 pairs"):
        token_dictionary(tmp_path / "strange.txt", pieces, 1.0, 1, words=False)
    with pytest.raises(InputError, match="is none"):
        token_dictionary(pairs, pieces, 0.001, 1, words=False)
