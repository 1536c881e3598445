"""The compiled loops of `ibm2`: expectation and decoding of a `Direction` with a `Model`.

Their fields are taken out before the loops: read within them, they made decoding about a quarter slower.
"""

import math

import numpy as np
from numba import njit


@njit(cache=True)
def diagonal_prior(j, m, n, tension, out):
    """Write exp(-tension |i/n - j/m|), i and j counted from 1, for all i <= n to `out`; return the sum.

    On either side of the diagonal the values fall by the same factor from one i to the next.
    """
    position, ratio, below = (j + 1) / m, math.exp(-tension / n), (j + 1) * n // m  # `below`: i/n <= j/m
    total = 0.0
    value = math.exp(-tension * (position - below / n))
    for i in range(below - 1, -1, -1):
        out[i] = value
        total += value
        value *= ratio
    value = math.exp(-tension * ((below + 1) / n - position))
    for i in range(below, n):
        out[i] = value
        total += value
        value *= ratio
    return total


@njit(cache=True)
def _joint(j, m, n, cell, stride, entries, table, tension, share, out):
    """Write `share` p(a_j = i | m, n) t(f_j | e_i) for all i < n to `out`; return the sum.

    `cell` and `stride` are the first cell and step of word j; negative `tension`: uniform prior.
    """
    if tension >= 0:
        share /= diagonal_prior(j, m, n, tension, out)
    else:
        share /= n
        out[:n] = 1.0
    total = 0.0
    for i in range(n):
        out[i] *= share * table[entries[cell + i * stride]]
        total += out[i]
    return total


@njit(cache=True, nogil=True)
def expect(text, model, counts, null_counts):
    """Add the posterior expected counts of all pairs; return (log likelihood, summed -|i/n - (j - 1)/m|)."""
    given_bounds, words, bounds, starts, entries, across = text
    table, null_table, tension, null_shares = model
    buffer = np.empty(np.diff(given_bounds).max())
    likelihood, feature = 0.0, 0.0
    for pair in range(starts.size):
        n, m = given_bounds[pair + 1] - given_bounds[pair], bounds[pair + 1] - bounds[pair]
        step, stride = (1, m) if across else (n, 1)
        null_share = null_shares[n]
        for j in range(m):
            word, cell = words[bounds[pair] + j], starts[pair] + j * step
            total = _joint(j, m, n, cell, stride, entries, table, tension, 1 - null_share, buffer)
            null = null_share * null_table[word]
            total += null
            null_counts[word] += null / total
            likelihood += math.log(total)
            for i in range(n):
                posterior = buffer[i] / total
                counts[entries[cell + i * stride]] += posterior
                feature -= posterior * abs((i + 1) / n - j / m)  # j from 0: see `ibm2`
    return likelihood, feature


@njit(cache=True, nogil=True)
def decode(text, model, out):
    """Write the most probable given word of each generated token to `out` (t,), -1 for the null word."""
    given_bounds, words, bounds, starts, entries, across = text
    table, null_table, tension, null_shares = model
    buffer = np.empty(np.diff(given_bounds).max())
    for pair in range(starts.size):
        n, m = given_bounds[pair + 1] - given_bounds[pair], bounds[pair + 1] - bounds[pair]
        step, stride = (1, m) if across else (n, 1)
        for j in range(m):
            place = bounds[pair] + j
            out[place] = -1
            cell = starts[pair] + j * step
            _joint(j, m, n, cell, stride, entries, table, tension, 1 - null_shares[n], buffer)
            best = null_shares[n] * null_table[words[place]]
            for i in range(n):
                if buffer[i] > best:
                    best, out[place] = buffer[i], i


@njit(cache=True, nogil=True)
def prior_feature(lengths, frequency, tension):
    """Return the sum of E[-|i/n - j/m|] under the prior over generated words, of `lengths` (s, 2), (m, n), by
    frequency.
    """
    out = np.empty(lengths[:, 1].max())
    feature = 0.0
    for size in range(lengths.shape[0]):
        m, n = lengths[size]
        for j in range(m):
            total, weighted = diagonal_prior(j, m, n, tension, out), 0.0
            for i in range(n):
                weighted -= out[i] * abs((i + 1) / n - (j + 1) / m)
            feature += frequency[size] * weighted / total
    return feature
