"""Batches made on a GPU hold the same as the processor's, and give the same losses."""

from itertools import islice
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from crosslingua.encoders import pretraining
from crosslingua.encoders.batches import Masker, assemble, batches_from
from crosslingua.encoders.data import from_bitext
from crosslingua.encoders.objectives.dwa import DWA
from crosslingua.encoders.objectives.mlm import MLM
from crosslingua.encoders.objectives.objective import Encoded, Setup
from crosslingua.encoders.objectives.settings import DWASettings, NoSettings
from crosslingua.encoders.on_gpu import ResidentStreams, rounded, suits
from crosslingua.encoders.trainer import Loss
from crosslingua.nn.half import HalfModule
from crosslingua.nn.ragged import Ragged
from encoders.runs import SUMMED, report, run
from encoders.tiny import SPECIALS, model, settings

CPU = torch.device("cpu")


def rows():
    rng = np.random.default_rng(1)
    sides = [Ragged.of([rng.integers(5, 30, size=rng.integers(1, 12)) for _ in range(60)]) for _ in range(2)]
    return from_bitext(*sides, (0, 1), SPECIALS, 32, False)[0]


def streams(parts=1, **values):
    chosen = settings(**{"batch_size": 20, "mask_probability": 0.3, "restart_positions": True, **values})
    masker = Masker(chosen.mask_probability, SPECIALS, 30)
    made = ResidentStreams({"bitext": rows()}, {"bitext": []}, masker, chosen, 3, SPECIALS.pad, True, parts)
    made.place(CPU)
    return made


def made_of(drawn):
    """The batch of a part, and one row by row with the same masks, as the processor makes them."""
    flat = drawn.tensors(CPU)
    padded = assemble(drawn.rows, drawn.chosen, SPECIALS.pad, True, True)
    starts, where = flat.present.keys[: len(drawn.chosen)].numpy(), flat.columns[0][flat.filled[0]].numpy()
    of = np.repeat(np.arange(len(drawn.chosen)), drawn.numbers)
    slot = np.arange(len(of)) - (np.cumsum(drawn.numbers) - drawn.numbers)[of]
    shape = (len(drawn.chosen), drawn.numbers.max())
    padded.columns, padded.filled = np.zeros(shape, np.int64), np.zeros(shape, bool)
    padded.columns[of, slot], padded.filled[of, slot] = where - starts[of], True
    padded.labels = np.take_along_axis(padded.clean, padded.columns, 1)
    padded.ids = padded.clean.copy()
    padded.ids[of, padded.columns[of, slot]] = flat.ids[0].numpy()[where]
    padded.total = drawn.total
    return flat, padded.tensors(CPU)


@pytest.mark.parametrize("unit", ["sequences", "tokens"])
def test_rows_end_to_end(unit):
    made = streams(batch_unit=unit, batch_size=200 if unit == "tokens" else 20)
    drawn = next(made.steps(0))["bitext"][0]
    flat, padded = made_of(drawn)
    real = int(flat.present.keys[len(drawn.chosen)])
    for name in ("clean", "ids", "languages", "positions"):
        expected = getattr(padded, name)
        assert torch.equal(getattr(flat, name)[0, :real], expected[padded.present])
    assert (flat.clean[0, real:] == SPECIALS.pad).all()
    assert drawn.tokens == real
    order = next(batches_from(0, rows(), 20, "sequences", 3 + 1000003))
    assert unit == "tokens" or np.array_equal(drawn.chosen, order)


def test_masks_are_those_of_the_processor():
    made, counts = streams(), []
    torch.manual_seed(5)
    for step in islice(made.steps(0), 200):
        flat, _ = made_of(step["bitext"][0])
        where = flat.columns[0][flat.filled[0]]
        assert len(set(where.tolist())) == len(where) == flat.total
        labels, hidden = flat.clean[0, where], flat.ids[0, where]
        assert (labels > 4).all()
        assert torch.equal(labels, flat.labels[0][flat.filled[0]])
        changed = torch.nonzero(flat.ids[0] != flat.clean[0]).flatten()
        assert torch.equal(changed, where[hidden != labels].sort().values)
        masked, kept, free = hidden == SPECIALS.mask, hidden == labels, flat.clean > 4
        counts.append([len(where), masked.sum(), kept.sum(), free.sum()])
    chosen, masked, kept, free = np.sum(counts, axis=0)
    assert chosen / free == pytest.approx(0.3, abs=0.005)
    assert masked / chosen == pytest.approx(0.8, abs=0.015)
    assert kept / chosen == pytest.approx(0.1 + 0.1 / 25, abs=0.015)


@pytest.mark.parametrize("pre_norm", [False, True])
def test_the_losses_of_both_layouts(pre_norm):
    ours = model(types=2, layers=3, pre_norm=pre_norm)
    torch.manual_seed(1)
    setup = Setup(NoSettings(), 3, 16, 30, SPECIALS, None)
    objectives = {"tlm": MLM(setup), "dwa": DWA(Setup(DWASettings(), 3, 16, 30, SPECIALS, None))}
    for part in next(streams(parts=2).steps(4))["bitext"]:
        found = []
        for batch in made_of(part):
            for every_state in (False, True):
                encoded = Encoded(ours, batch, every_state)
                loss = torch.stack([member(encoded) for member in objectives.values()])
                gradient = torch.autograd.grad(loss.sum(), ours.words.weight)[0]
                found.append((loss.detach(), gradient))
        for loss, gradient in found[1:]:
            torch.testing.assert_close(loss, found[0][0], rtol=1e-5, atol=1e-6)
            torch.testing.assert_close(gradient, found[0][1], rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("objectives", [["mlm"], ["mlm", "tlm"], ["mlm", "tlm", "dwa"]])
def test_runs_learn_alike(tiny_world, tmp_path, monkeypatch, objectives):
    """On the processor here: what a GPU does otherwise, copy and graphs, tests/test_gpu.py compares."""
    given = {"steps": 60, "lr": 5e-3, "pack": True, "log_every": 20} | SUMMED
    for name in ("host", "resident"):
        monkeypatch.setattr(pretraining, "suits", lambda *_, name=name: name == "resident")
        pretraining.pretrain(run(tiny_world, tmp_path / name, objectives, **given))
    host, resident = (report(tmp_path / name) for name in ("host", "resident"))
    assert (host["data"], host["tokens"]) == (resident["data"], resident["tokens"])
    for term in objectives:
        assert resident["loss_curve"][term][-1] == pytest.approx(host["loss_curve"][term][-1], rel=0.1)


def test_few_shapes():
    sizes = {1: 4096, 4096: 4096, 4097: 8192, 63000: 65536, 65536: 65536, 65537: 69632}
    assert {n: rounded(n, 65536) for n in sizes} == sizes
    made = streams(batch_size=8)
    shapes = {step["bitext"][0].tensors(CPU).ids.shape for step in islice(made.steps(0), 40)}
    assert shapes <= {(1, 128), (1, 256), (1, 384)}


def test_a_copy_computes_and_the_module_learns():
    ours = Loss(model(), {"text": {"mlm": MLM(Setup(NoSettings(), 2, 16, 30, SPECIALS, None))}})
    half = HalfModule(ours)
    assert {weight.dtype for weight in half.module.parameters()} == {torch.bfloat16}
    words = half.module.model.words.weight
    words.grad = torch.ones_like(words)
    half.hand_over()
    assert (ours.model.words.weight.grad == 1).all()
    assert ours.model.head.weight.grad is words.grad is None
    with torch.no_grad():
        ours.model.words.weight.add_(1)
    half.renew()
    assert torch.equal(words, ours.model.words.weight.bfloat16())


def test_parts_of_an_update_add_up_in_single_precision():
    ours = Loss(model(), {"text": {"mlm": MLM(Setup(NoSettings(), 2, 16, 30, SPECIALS, None))}})
    half = HalfModule(ours)
    for value in (1.0, 2.0**-9, 2.0**-9):  # which bfloat16 would lose beside 1
        half.module.model.words.weight.grad = torch.full_like(half.module.model.words.weight, value)
        half.hand_over()
    assert (ours.model.words.weight.grad == 1 + 2.0**-8).all()


@pytest.mark.parametrize(("hidden", "heads", "capability", "suited"), [
    (768, 12, (9, 0), True), (300, 6, (9, 0), False), (768, 2, (9, 0), False), (768, 12, (7, 5), False),
])  # fmt: skip
def test_rows_stand_end_to_end_for_flash_attention(hidden, heads, capability, suited, monkeypatch):
    monkeypatch.setattr("torch.cuda.get_device_capability", lambda device: capability)
    objectives = {"text": {"mlm": MLM(Setup(NoSettings(), 2, hidden, 30, SPECIALS, None))}}
    shape = SimpleNamespace(hidden=hidden, heads=heads)
    assert suits(objectives, torch.device("cuda"), "bf16", shape) is suited
    assert not suits(objectives, torch.device("cuda"), "fp32", shape)
