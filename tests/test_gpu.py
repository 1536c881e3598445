"""A GPU computes what the processor does, where the suite has code of its own for it."""

import copy
from dataclasses import fields, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
import torch

from crosslingua.encoders.batches import Batch
from crosslingua.encoders.settings import from_mapping
from crosslingua.encoders.trainer import Trainer
from crosslingua.lexicon_induction import retrieval
from crosslingua.mappers.mapper import build

BENCHMARKS = Path(__file__).parent.parent / "benchmarks"
SMALL = {"layers": 3, "hidden": 64, "heads": 4, "vocabulary": 500, "length": 64}

pytestmark = [pytest.mark.gpu, pytest.mark.skipif(not torch.cuda.is_available(), reason="torch finds no GPU")]


@pytest.fixture
def data(monkeypatch):
    """Return the module of random data."""
    monkeypatch.syspath_prepend(BENCHMARKS)
    import gpu_data

    return gpu_data


def difference(found: list, expected: list) -> float:
    """Return the relative distance of two lists of tensors, by norm."""
    pairs = [(a.cpu().double(), b.double()) for a, b in zip(found, expected, strict=True)]
    distance, size = (
        sum(float(x.norm()) ** 2 for x in part) for part in zip(*[(a - b, b) for a, b in pairs], strict=True)
    )
    return (distance / size) ** 0.5


def settings(device: str, precision: str, steps: int = 4):
    """Return settings of a short run."""
    return from_mapping({
        "device": device, "precision": precision, "batch_size": 16, "max_length": 64, "max_positions": 64,
        "steps": steps, "warmup": 1, "parallel": "summed", "language_ids": "false", "log_every": 1,
    })  # fmt: skip


class Made(NamedTuple):
    """A part of a step whose batch is made already."""

    batch: Batch

    def tensors(self, device: torch.device) -> Batch:
        """Return it."""
        return self.batch


def on_cpu(batch: Batch) -> Batch:
    """Return a batch of the GPU on the processor."""
    moved = {f.name: v.cpu() for f in fields(batch) if isinstance(v := getattr(batch, f.name), torch.Tensor)}
    if isinstance(batch.present, tuple):
        moved["present"] = batch.present._make(
            x.cpu() if isinstance(x, torch.Tensor) else x for x in batch.present
        )
    return replace(batch, **moved)


def test_a_step_of_pretraining_in_single_precision(data, tmp_path):
    rows, found = {"text": data.text_rows(SMALL, 64), "bitext": data.pair_rows(SMALL, 64)}, []
    for where in ("cpu", "cuda"):
        loss = data.loss_of(SMALL, {"text": ["mlm"], "bitext": ["tlm", "dwa"]}, dropout=0.0)
        trainer = data.trainer_of(Trainer, loss, rows, settings(where, "fp32"), tmp_path)
        value = trainer._gradient(next(trainer.streams.steps(0)))
        found.append([value.cpu(), *(weight.grad for weight in loss.parameters() if weight.grad is not None)])
    assert difference(found[1], found[0]) < 1e-3


def test_a_step_of_pretraining_in_bf16_on_rows_end_to_end(data, tmp_path):
    rows = {"text": data.text_rows(SMALL, 64), "bitext": data.pair_rows(SMALL, 64)}
    # Without DWA, whose links, and with them its gradients, change where two tokens are almost equally near.
    loss = data.loss_of(SMALL, {"text": ["mlm"], "bitext": ["tlm"]}, dropout=0.0)
    reference = copy.deepcopy(loss)
    trainer = data.trainer_of(Trainer, loss, rows, settings("cuda", "bf16"), tmp_path)
    drawn = next(trainer.streams.steps(0))
    batches = {name: parts[0].tensors(trainer.processes.device) for name, parts in drawn.items()}
    value = trainer._gradient({name: [Made(batch)] for name, batch in batches.items()})
    terms = reference({name: on_cpu(batch) for name, batch in batches.items()})
    terms.sum().backward()
    found, expected = ([weight.grad for weight in one.parameters()] for one in (loss, reference))
    assert difference([value], [terms.detach()]) < 0.01
    assert difference(found, expected) < 0.1


def test_recorded_updates_are_those_that_are_launched(data, tmp_path):
    curves = []
    for recorded in (False, True):
        loss, rows = data.loss_of(SMALL, {"text": ["mlm"]}), {"text": data.text_rows(SMALL, 64)}
        trainer = data.trainer_of(Trainer, loss, rows, settings("cuda", "bf16", steps=12), tmp_path)
        trainer._graphs = trainer._graphs if recorded else None
        trainer.train()
        curves.append(trainer.curve["loss"])
    assert curves[1] == pytest.approx(curves[0], rel=1e-4)


def test_neighbours_by_csls():
    rng = np.random.default_rng(6)
    vectors = [rng.normal(size=(n, 100)).astype(np.float32) for n in (4000, 5000)]
    (i, s), (j, t) = (retrieval.csls(*vectors, k=5, device=where) for where in ("cpu", "cuda"))
    assert (i != j).mean() < 1e-5
    assert np.abs(s - t).max() < 1e-6


@pytest.mark.parametrize(("name", "given"), [
    ("rcsls", {"lr": 10.0}),
    ("rcsls", {"lr": 1.0, "normalise": "none", "niter": 5, "knn": 3}),
    ("vecmap", {"stochastic_interval": 5}),
    ("vecmap", {"mode": "semi_supervised", "stochastic_interval": 5}),
    ("muse", {"initialisation": "dictionary"}),
])  # fmt: skip
def test_maps(name, given):
    source, target = spaces(2000, 40)
    pairs, maps = np.stack([np.arange(500)] * 2, axis=1), []
    for where in ("cpu", "cuda"):
        mapping = build(name, given).fit(source, target, pairs, seed=1, device=where)
        maps.append(
            [torch.from_numpy(side) for side in (mapping.map_source(source), mapping.map_target(target))]
        )
    assert difference(maps[1], maps[0]) < 1e-3


def spaces(words: int, dimension: int) -> tuple[np.ndarray, np.ndarray]:
    """Return a space with clusters, and a noisy rotation of it; row i translates row i."""
    rng = np.random.default_rng(10)
    centres = rng.normal(size=(words // 20, dimension)) * rng.uniform(0.5, 2, size=dimension)
    source = centres[rng.integers(len(centres), size=words)] + 0.5 * rng.normal(size=(words, dimension))
    rotation = np.linalg.qr(rng.normal(size=(dimension, dimension)))[0]
    target = source @ rotation + 0.05 * rng.normal(size=source.shape)
    return source.astype(np.float32), target.astype(np.float32)
