"""The LSTM layer against torch's own, on packed sentences."""

import torch
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from crosslingua.bilstm import BiLstm, reversal
from torch_lstm import torchs

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
    for side, suffix in enumerate(("", "_reverse")):
        for weight, name in ((layer.inputs, "weight_ih"), (layer.recurrent, "weight_hh")):
            enter, keep, candidate, out = getattr(theirs, f"{name}_l0{suffix}").grad.T.chunk(4, dim=-1)
            torch.testing.assert_close(weight.grad[side], torch.cat([out, enter, keep, candidate], dim=-1))
        enter, keep, candidate, out = getattr(theirs, f"bias_ih_l0{suffix}").grad.chunk(4)
        torch.testing.assert_close(layer.bias.grad[side, 0], torch.cat([out, enter, keep, candidate]))
