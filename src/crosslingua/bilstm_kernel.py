"""The compiled part of `bilstm`: one step back through time, but for its matrix product."""

from __future__ import annotations

from numba import njit


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
