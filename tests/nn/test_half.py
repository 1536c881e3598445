from pathlib import Path

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import nn

from crosslingua.embedders.encoder import Encoder
from crosslingua.nn.bert import FIRST, Bert, Packed, keys
from crosslingua.nn.half import Rows, dropped, in_half
from crosslingua.nn.optimiser import AdamW
from tiny_encoder import write_encoder

IDS = np.array([[0, 9, 10, 11, 12, 2], [0, 7, 8, 2, 1, 1], [0, 6, 2, 1, 1, 1]])
LENGTHS = np.array([6, 4, 3])


@pytest.fixture
def encoder(tmp_path: Path) -> Encoder:
    return Encoder.load(write_encoder(tmp_path / "encoder"))


@pytest.mark.parametrize(
    ("precision", "device", "flags", "halved"),
    [
        ("bf16", "cpu", "fma avx2", False),
        ("bf16", "cpu", "fma avx512_bf16", True),
        ("bf16", "cpu", "", False),
        ("bf16", "cuda", "fma avx2", True),
        ("fp32", "cpu", "amx_bf16", False),
    ],
)
def test_bf16_is_used_where_there_are_instructions(monkeypatch, precision, device, flags, halved) -> None:
    monkeypatch.setattr("crosslingua.provenance.processor_flags", lambda: frozenset(flags.split()))
    assert in_half(precision, device) is halved


def test_dropout_by_bits_keeps_the_mean_and_nearly_the_rate():
    torch.manual_seed(1)
    x = torch.ones(1000, 1001, dtype=torch.bfloat16, requires_grad=True)
    for rate in (0.1, 0.3, 0.5):
        y = dropped(x, rate)
        assert y.unique().tolist() == [0, pytest.approx(1 / (1 - rate), rel=2**-8)]
        assert (y == 0).float().mean().item() == pytest.approx(rate, abs=0.003)
        assert y.float().mean().item() == pytest.approx(1, abs=4 * (rate / (1 - rate) / x.numel()) ** 0.5)
        (gradient,) = torch.autograd.grad(y.sum(), x)
        assert torch.equal(gradient, y)
        both = (y[:-1] == 0) & (y[1:] == 0)  # values are dropped independently
        assert both.float().mean().item() == pytest.approx(rate**2, abs=0.003)


def test_dropout_is_torchs_elsewhere():
    x = torch.ones(1000)
    for value, rate in ((x, 0.1), (x.bfloat16(), 0.01), (x.bfloat16(), 0.0)):
        torch.manual_seed(1)
        expected = F.dropout(value, rate)
        torch.manual_seed(1)
        assert torch.equal(dropped(value, rate), expected)


@pytest.mark.parametrize("first_only", [False, True])
def test_without_padding_the_same_is_computed(encoder: Encoder, first_only: bool):
    """In single precision, with the gradients of all weights."""
    model: Bert = encoder.model
    real = torch.from_numpy(np.arange(6) < LENGTHS[:, None])
    mask = Packed.of(real)
    weights = list(model.parameters())

    def found(packed: bool) -> tuple[torch.Tensor, ...]:
        x = model.embeddings(torch.from_numpy(IDS), None, None)
        columns = (mask.starts if packed else FIRST) if first_only else None
        x, own = (mask.pack(x), mask) if packed else (x, keys(real))
        y = model.last_state(model.states(x, own, -1)[-1], own, columns)
        shown = real[:, :1] if first_only else real
        if packed and first_only:
            y = y.transpose(0, 1)
        elif packed:
            y = mask.unpack(y)
        y = y[shown]
        return y, *torch.autograd.grad((y**3).sum(), weights)

    for ours, expected in zip(found(packed=True), found(packed=False), strict=True):
        torch.testing.assert_close(ours, expected, atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize("call", [Encoder.forward, Encoder.first])
def test_states_and_gradients_in_bf16_are_near_those_in_fp32(encoder: Encoder, call):
    def found() -> tuple[torch.Tensor, torch.Tensor]:
        """All states at pieces, and all gradients."""
        y = call(encoder, IDS, LENGTHS)
        y = y if y.ndim == 2 else y[torch.arange(6) < torch.from_numpy(LENGTHS)[:, None]]
        encoder.zero_grad()
        (y**3).sum().backward()
        return y.detach(), torch.cat([w.grad.float().flatten() for w in encoder.parameters()])

    expected = found()
    encoder.halve()
    for ours, theirs in zip(found(), expected, strict=True):
        assert ours.dtype == torch.float32
        assert 0 < (ours - theirs).norm() < 0.03 * theirs.norm()


def test_adam_on_the_rows_in_use_is_torchs_on_the_whole_table():
    torch.manual_seed(1)
    weights, batches = torch.randn(50, 8), [torch.tensor(ids) for ids in ([4, 9, 4, 1], [30, 9], [1, 1, 4])]
    table = nn.Embedding.from_pretrained(weights.clone(), freeze=False, padding_idx=1)
    other = nn.Embedding.from_pretrained(weights.clone(), freeze=False, padding_idx=1)
    rows = Rows(table, np.array([9, 4, 1, 30, 4]))
    ours = AdamW([rows.own], 0.0, (0.9, 0.999), 1e-8)
    theirs = torch.optim.AdamW(other.parameters(), lr=0.01, weight_decay=0.0, eps=1e-8)
    for ids in batches * 3:
        for embeddings in (table, other):
            (embeddings(ids) ** 3).sum().backward()
        rows.hand_over()
        ours.step(0.01)
        rows.renew()
        theirs.step()
        theirs.zero_grad()
        assert table.weight.grad is None
    torch.testing.assert_close(table.weight, other.weight)
    assert torch.equal(table.weight[[0, 49]], weights[[0, 49]])
