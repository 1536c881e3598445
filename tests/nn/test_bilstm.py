"""The LSTM layer against torch's LSTM, on packed sentences."""

import pytest
import torch
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from crosslingua.nn.bilstm import BiLstm, reversal
from torch_lstm import names, torchs

LENGTHS = torch.tensor([5, 1, 3])
MASK = torch.arange(5) < LENGTHS[:, None]


def test_what_comes_out_and_its_gradients_are_torchs() -> None:
    torch.manual_seed(0)
    layer = BiLstm(4, 6)
    theirs = torchs(layer)
    vectors = torch.randn(3, 5, 4, requires_grad=True)
    other = vectors.detach().clone().requires_grad_()
    weights = torch.randn(3, 5, 12) * MASK[..., None]
    mine = layer(vectors.transpose(0, 1), reversal(MASK)).transpose(0, 1)
    packed = pack_padded_sequence(other, LENGTHS, batch_first=True, enforce_sorted=False)
    expected, _ = pad_packed_sequence(theirs(packed)[0], batch_first=True)
    torch.testing.assert_close(mine * MASK[..., None], expected)
    (mine * weights).sum().backward()
    (expected * weights).sum().backward()
    torch.testing.assert_close(vectors.grad * MASK[..., None], other.grad * MASK[..., None])
    for name, weight in names(layer).items():
        if weight.requires_grad:
            torch.testing.assert_close(weight.grad, getattr(theirs, name).grad)


def test_initial_weights_are_uniform_and_one_bias_of_two_is_learnt() -> None:
    torch.manual_seed(0)
    for name, weight in names(BiLstm(50, 100)).items():
        learnt = "bias_hh" not in name
        assert weight.requires_grad == learnt
        assert weight.abs().max().item() == pytest.approx(0.1 * learnt, abs=0.001)
        assert weight.var().item() == pytest.approx(0.2**2 / 12 * learnt, rel=0.15)


def test_a_sentence_is_read_backwards_from_its_own_end() -> None:
    assert reversal(MASK).T.tolist() == [[4, 3, 2, 1, 0], [0, 1, 2, 3, 4], [2, 1, 0, 3, 4]]
