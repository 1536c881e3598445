"""Each loss against a plain, slow version."""

from collections import Counter
from copy import deepcopy

import numpy as np
import pytest
import torch

from crosslingua.encoders.batches import Batch, Masker
from crosslingua.encoders.data import Pieces, token_dictionary, translations
from crosslingua.encoders.objectives import OBJECTIVES
from crosslingua.encoders.objectives.align_mlm import alignment_loss
from crosslingua.encoders.objectives.objective import Encoded, Setup
from crosslingua.errors import InputError
from encoders.tiny import SPECIALS, model, pair_batch

CPU = torch.device("cpu")
DICTIONARY = np.array([[5, 20], [6, 21], [7, 22]])


def made(name, **settings):
    """The objective with its published settings, but for those named."""
    return OBJECTIVES[name](Setup(OBJECTIVES[name].Settings(**settings), 2, 16, 30, SPECIALS, DICTIONARY))


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
    words = shown.model.words.weight
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
    _, batch = code_switched(languages=False)
    assert batch.languages is None
    before, batch = code_switched(probability=0.0)
    assert (batch.ids == before.ids).all()
    _, batch = code_switched(probability=1.0)
    assert not (batch.ids == SPECIALS.mask).any()


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
    assert not shown.model.layers[0].attention["self"]["query"].weight.grad.any()


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
