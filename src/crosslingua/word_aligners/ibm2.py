"""One direction of fast_align: IBM Model 2 with a prior around the diagonal (Dyer, Chahuneau and Smith 2013).

Each of the m generated words f_j comes from the null word with probability p0, or from one of the n given
words e_i with probability (1 - p0) exp(-lambda |i/n - j/m|) / Z_j, and is drawn from t(. | e_i). lambda is the
tension. EM re-estimates t; with variational Bayes t is exp E[log theta] under a Dirichlet posterior with
prior alpha. lambda climbs the gradient of the expected log prior, E_posterior[h] - E_prior[h]
with h = -|i/n - j/m|. As in the authors' program, the first of the two takes j from 0: that keeps
lambda from its upper bound, and the published error rates are the program's.
"""

from __future__ import annotations

import logging
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numba import njit
from scipy.special import psi

from crosslingua.word_aligners.cooccurrence import Cooccurrence

if TYPE_CHECKING:
    from crosslingua.word_aligners.fast_align import FastAlign

log = logging.getLogger(__name__)
TENSION_STEPS = 8  # gradient steps an iteration, all with the same posterior
TENSION_RATE = 20.0  # of a step, on the mean over words; this and the bounds are their program's
TENSION_BOUNDS = 0.1, 14.0


class Direction(NamedTuple):
    """A text as one direction reads it: sentences that are given and generated, cells laid out as in `cooccurrence`."""

    given_bounds: np.ndarray
    words: np.ndarray  # generated
    bounds: np.ndarray  # of the generated sentences
    starts: np.ndarray
    entries: np.ndarray
    across: bool  # the given words are the rows of the cells


class Model(NamedTuple):
    """The parameters: t by entry, t of the null word by generated word, lambda, and p0."""

    table: np.ndarray
    null_table: np.ndarray
    tension: float
    null_share: float


@dataclass(frozen=True)
class Expectation:
    """Expected counts of entries and null entries, the log likelihood, and the mean position feature h."""

    counts: np.ndarray
    null_counts: np.ndarray
    log_likelihood: float
    feature: float


# The compiled loops take the fields of `Direction` and `Model` out first: read within, decoding was a quarter slower.


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

    `cell` and `stride` are the first cell and step of word j.
    """
    share /= diagonal_prior(j, m, n, tension, out)
    total = 0.0
    for i in range(n):
        out[i] *= share * table[entries[cell + i * stride]]
        total += out[i]
    return total


@njit(cache=True, nogil=True)
def _expect(text, model, counts, null_counts):
    """Add the posterior expected counts of all pairs; return (log likelihood, summed -|i/n - (j - 1)/m|)."""
    given_bounds, words, bounds, starts, entries, across = text
    table, null_table, tension, null_share = model
    buffer = np.empty(np.diff(given_bounds).max())
    likelihood, feature = 0.0, 0.0
    for pair in range(starts.size):
        n, m = given_bounds[pair + 1] - given_bounds[pair], bounds[pair + 1] - bounds[pair]
        step, stride = (1, m) if across else (n, 1)
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
def _decode(text, model, out):
    """Write the most probable given word of each generated token to `out` (t,), -1 for the null word."""
    given_bounds, words, bounds, starts, entries, across = text
    table, null_table, tension, null_share = model
    buffer = np.empty(np.diff(given_bounds).max())
    for pair in range(starts.size):
        n, m = given_bounds[pair + 1] - given_bounds[pair], bounds[pair + 1] - bounds[pair]
        step, stride = (1, m) if across else (n, 1)
        for j in range(m):
            place = bounds[pair] + j
            out[place] = -1
            cell = starts[pair] + j * step
            _joint(j, m, n, cell, stride, entries, table, tension, 1 - null_share, buffer)
            best = null_share * null_table[words[place]]
            for i in range(n):
                if buffer[i] > best:
                    best, out[place] = buffer[i], i


@njit(cache=True, nogil=True)
def _prior_feature(lengths, frequency, tension):
    """Return the summed E[-|i/n - j/m|] under the prior of all words of pairs of `lengths` (s, 2), (m, n)."""
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


class IBM2:
    """The model of p(target | source), or with `reverse` of p(source | target), as it trains on a text with words."""

    def __init__(self, text: Cooccurrence, reverse: bool, settings: FastAlign):
        self.settings, self.reverse = settings, reverse
        given, generated = (text.target, text.source) if reverse else (text.source, text.target)
        self.given_of_entry = text.types[1 if reverse else 0]
        self._text = Direction(
            given.bounds, generated.words, generated.bounds, text.starts, text.entries, across=not reverse
        )
        self._given_vocabulary = given.vocabulary
        lengths = np.stack([generated.lengths, given.lengths], axis=1)
        self.sizes, self.frequency = np.unique(lengths, axis=0, return_counts=True)
        self.tokens = len(generated.words)
        self.table = np.full(text.types.shape[1], 1 / generated.vocabulary)
        self.null_table = np.full(generated.vocabulary, 1 / generated.vocabulary)
        self.tension = settings.tension
        self.null_share = settings.null_probability

    def expect(self) -> Expectation:
        """The E-step, with the present parameters."""
        counts, null_counts = np.zeros_like(self.table), np.zeros_like(self.null_table)
        likelihood, feature = _expect(self._text, self._model, counts, null_counts)
        return Expectation(counts, null_counts, likelihood, feature / self.tokens)

    def maximise(self, expected: Expectation, tension: bool = True) -> None:
        """The M-step; `tension` says whether lambda moves too."""
        if tension and self.settings.optimise_tension:
            for _ in range(TENSION_STEPS):
                prior = _prior_feature(self.sizes, self.frequency, self.tension) / self.tokens
                climbed = self.tension + TENSION_RATE * (expected.feature - prior)
                self.tension = float(np.clip(climbed, *TENSION_BOUNDS))
        alpha = self.settings.alpha if self.settings.variational_bayes else 0.0
        self.table = normalised(expected.counts, self.given_of_entry, self._given_vocabulary, alpha)
        null = np.zeros(len(self.null_table), dtype=np.int32)
        self.null_table = normalised(expected.null_counts, null, 1, alpha)

    def train(self) -> None:
        """All iterations but the last, which decodes."""
        for iteration in range(1, self.settings.iterations):
            expected = self.expect()
            self.maximise(expected, tension=iteration > 1)  # the first posterior knows nothing of the words
            log.info(
                "%s, iteration %d: perplexity %.2f, tension %.2f", "reverse" if self.reverse else "forward",
                iteration, np.exp(-expected.log_likelihood / self.tokens), self.tension,
            )  # fmt: skip

    def decode(self) -> np.ndarray:
        """Return the position of the most probable given word for each generated token (t,) int32; -1 is null."""
        links = np.empty(self.tokens, dtype=np.int32)
        _decode(self._text, self._model, links)
        return links

    @property
    def _model(self) -> Model:
        return Model(self.table, self.null_table, self.tension, self.null_share)


def normalised(counts: np.ndarray, given: np.ndarray, vocabulary: int, alpha: float) -> np.ndarray:
    """Return t for expected `counts` (entries,), summing to one over the entries of a `given` word.

    With `alpha`, exp E[log theta] of the Dirichlet posterior, which sums to less.
    """
    totals = np.bincount(given, counts + alpha, vocabulary)
    if not alpha:
        return counts / np.where(totals > 0, totals, 1)[given]
    return np.exp(psi(counts + alpha) - psi(totals)[given])
