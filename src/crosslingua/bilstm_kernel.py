"""The compiled parts of `bilstm`: a step through time and one back, but for matrix products and sigmoids."""

from __future__ import annotations

from numba import njit


@njit(cache=True, nogil=True, fastmath={"contract"})
def step_cells(place, gates, cells, squashed):
    """Write the cells after the word at `place`, twice their values into `squashed`, and make candidates tanh.

    Arrays are as in `step_back`; of gates[:, place] the sigmoids are taken, the candidate's of twice its argument.
    The sum is contracted (one rounding fewer), as torch's `addcmul` does it.
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
    """Make the sigmoids in squashed[:, place] tanh, and write states (2, words + 1, rows, hidden) after the word."""
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
    """Write into own[:, place] the gradients of what the gates of a word are computed from, and lead `cell` back.

    - `state`, `cell` (2, rows, hidden): gradients of the state and the cell, from the words behind
    - `after` (2, words, rows, hidden): the gradient of what the layer returns
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
