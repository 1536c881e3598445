"""A bidirectional LSTM layer (Hochreiter and Schmidhuber 1997; Graves and Schmidhuber 2005) that trains fast on a CPU.

torch computes the gradients of the weights step by step, in three times the time of the forward pass; here they are one
matrix product over all steps. Both directions run side by side: the second reads each sentence reversed, with padding
last.
"""

import torch
from numba import njit
from torch import Tensor, nn


@njit(cache=True, nogil=True, fastmath={"contract"})
def step_cells(place, gates, cells, squashed):
    """Write the cells after the word at `place`, twice their values into `squashed`, and make candidates tanh. Arrays
    are as in `step_back`; gates[:, place] are sigmoids, the candidate's of twice its argument. The sum is contracted
    (one rounding), as in torch's `addcmul`.
    """
    sides, _, rows, hidden = squashed.shape
    one, two = squashed.dtype.type(1), squashed.dtype.type(2)
    for side in range(sides):
        for row in range(rows):
            gate = gates[side, place, row]
            before, after = cells[side, place, row], cells[side, place + 1, row]
            for i in range(hidden):
                candidate = gate[3 * hidden + i] * two - one
                gate[3 * hidden + i] = candidate
                after[i] = before[i] * gate[2 * hidden + i] + gate[hidden + i] * candidate
                squashed[side, place, row, i] = after[i] * two


@njit(cache=True, nogil=True)
def step_states(place, gates, squashed, states):
    """Turn the sigmoids of squashed[:, place] into tanh; write states (2, words + 1, rows, hidden) after the word."""
    sides, _, rows, hidden = squashed.shape
    one, two = squashed.dtype.type(1), squashed.dtype.type(2)
    for side in range(sides):
        for row in range(rows):
            gate, after = gates[side, place, row], states[side, place + 1, row]
            for i in range(hidden):
                value = squashed[side, place, row, i] * two - one
                squashed[side, place, row, i] = value
                after[i] = gate[i] * value


@njit(cache=True, nogil=True)
def step_back(place, state, cell, after, gates, cells, squashed, own):
    """Write into own[:, place] the gradients of the inputs of a word's gates, and propagate `cell` back.

    - `state`, `cell` (2, rows, hidden): gradients of the state and the cell, from the words behind
    - `after` (2, words, rows, hidden): the gradient of the layer's output
    - `gates`, `own` (2, words, rows, 4 hidden), in the order output, input, forget, candidate
    - `cells` (2, words + 1, rows, hidden), before each word, and after the last; `squashed`: tanh of those after each
    """
    sides, rows, hidden = state.shape
    one = state.dtype.type(1)
    for side in range(sides):
        for row in range(rows):
            gate, mine = gates[side, place, row], own[side, place, row]
            for i in range(hidden):
                out, enter = gate[i], gate[hidden + i]
                keep, candidate = gate[2 * hidden + i], gate[3 * hidden + i]
                value = squashed[side, place, row, i]
                given = state[side, row, i] + after[side, place, row, i]
                inner = cell[side, row, i] + given * (out * (one - value * value))
                mine[i] = given * (value * out * (one - out))
                mine[hidden + i] = inner * (candidate * enter * (one - enter))
                mine[2 * hidden + i] = inner * (cells[side, place, row, i] * keep * (one - keep))
                mine[3 * hidden + i] = inner * (enter * (one - candidate * candidate))
                cell[side, row, i] = inner * keep


class BiLstm(nn.Module):
    """One layer of `hidden` units a direction; initial weights are uniform in ±1/√hidden, as in torch. Gates are in the
    order output, input, forget, candidate; torch's two biases are one sum.
    """

    def __init__(self, dimension: int, hidden: int):
        super().__init__()
        bound = hidden**-0.5
        self.inputs = nn.Parameter(torch.empty(2, dimension, 4 * hidden).uniform_(-bound, bound))
        self.recurrent = nn.Parameter(torch.empty(2, hidden, 4 * hidden).uniform_(-bound, bound))
        self.bias = nn.Parameter(torch.empty(2, 1, 4 * hidden).uniform_(-bound, bound))

    def forward(self, vectors: Tensor, reverse: Tensor) -> Tensor:
        """Return (words, rows, 2 hidden) of vectors (words, rows, d). `reverse` (words, rows) is from `reversal`.
        Values at padding are undefined, and must get no gradient.
        """
        return _BiLstm.apply(vectors, reverse, self.inputs, self.recurrent, self.bias)


def reversal(mask: Tensor) -> Tensor:
    """Return (words, rows): the word at each place of a reversed sentence; padding stays."""
    places = torch.arange(mask.shape[1], device=mask.device)[:, None]
    lengths = mask.sum(dim=1)
    return torch.where(places < lengths, lengths - 1 - places, places)


def _reversed(values: Tensor, reverse: Tensor) -> Tensor:
    """Return values (words, rows, d) with each row reversed; the function is its own inverse."""
    rows = torch.arange(reverse.shape[1], device=reverse.device)
    places = (reverse * reverse.shape[1] + rows).flatten()
    return values.flatten(0, 1).index_select(0, places).view(values.shape)


def _doubled(weights: Tensor) -> Tensor:
    """Return weights (..., 4 hidden) with the candidate's doubled, since tanh x is 2 sigmoid(2 x) - 1, to 2e-7 in
    single precision; torch's tanh takes 4 times as long.
    """
    hidden = weights.shape[-1] // 4
    return torch.cat([weights[..., : 3 * hidden], 2 * weights[..., 3 * hidden :]], dim=-1)


class _BiLstm(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx, vectors: Tensor, reverse: Tensor, inputs: Tensor, recurrent: Tensor, bias: Tensor
    ) -> Tensor:
        words, rows, dimension = vectors.shape
        hidden = recurrent.shape[1]
        both = torch.stack([vectors, _reversed(vectors, reverse)])
        gates = torch.baddbmm(_doubled(bias), both.view(2, words * rows, dimension), _doubled(inputs))
        gates = gates.view(2, words, rows, 4 * hidden)
        # state and cell before each word, and after the last
        states, cells = (vectors.new_zeros(2, words + 1, rows, hidden) for _ in range(2))
        squashed = vectors.new_empty(2, words, rows, hidden)
        moved, told = _doubled(recurrent), [part.numpy() for part in (gates, cells, squashed, states)]
        steps = zip(gates.unbind(1), states.unbind(1), squashed.unbind(1), strict=False)
        for place, (own, before, after) in enumerate(steps):
            own.baddbmm_(before, moved).sigmoid_()
            step_cells(place, *told[:3])
            after.sigmoid_()
            step_states(place, told[0], told[2], told[3])
        ctx.save_for_backward(both, reverse, inputs, recurrent, gates, states, cells, squashed)
        after = states[:, 1:]
        return torch.cat([after[0], _reversed(after[1], reverse)], dim=-1)

    @staticmethod
    def backward(ctx, gradient: Tensor) -> tuple[Tensor | None, ...]:
        both, reverse, inputs, recurrent, gates, states, cells, squashed = ctx.saved_tensors
        _, words, rows, hidden = squashed.shape
        first, second = gradient.chunk(2, dim=-1)
        after = torch.stack([first, _reversed(second, reverse)])
        own = torch.empty_like(gates)
        state, cell = torch.zeros_like(after[:, 0]), torch.zeros_like(after[:, 0])
        told = [part.numpy() for part in (cell, after, gates, cells, squashed, own)]
        turned = recurrent.transpose(1, 2).contiguous()
        for place in range(words - 1, -1, -1):
            step_back(place, state.numpy(), *told)
            state = torch.bmm(own[:, place], turned)
        flat = own.view(2, words * rows, 4 * hidden)
        to_inputs = torch.bmm(both.view(2, words * rows, -1).transpose(1, 2), flat)
        before = states[:, :-1].reshape(2, words * rows, hidden)
        to_recurrent = torch.bmm(before.transpose(1, 2), flat)
        to_vectors = None
        if ctx.needs_input_grad[0]:
            sides = torch.bmm(flat, inputs.transpose(1, 2)).view_as(both)
            to_vectors = sides[0] + _reversed(sides[1], reverse)
        return to_vectors, None, to_inputs, to_recurrent, flat.sum(dim=1, keepdim=True)
