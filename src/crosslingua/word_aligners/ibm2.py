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
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
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
    """The parameters: t by entry, t of the null word by generated word, lambda (negative: a uniform prior)."""

    table: np.ndarray
    null_table: np.ndarray
    tension: float
    null_shares: np.ndarray  # prior of the null word by the length of the given sentence


@dataclass(frozen=True)
class Expectation:
    """Expected counts of entries and null entries, the log likelihood, and the mean position feature h."""

    counts: np.ndarray
    null_counts: np.ndarray
    log_likelihood: float
    feature: float


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
        self.tension = settings.tension if settings.favour_diagonal else -1.0
        self.null_shares = null_shares(settings, int(given.lengths.max()))

    def expect(self) -> Expectation:
        """The E-step, with the present parameters."""
        from crosslingua.word_aligners.ibm2_kernels import expect  # compiled

        counts, null_counts = np.zeros_like(self.table), np.zeros_like(self.null_table)
        likelihood, feature = expect(self._text, self._model, counts, null_counts)
        return Expectation(counts, null_counts, likelihood, feature / self.tokens)

    def maximise(self, expected: Expectation, tension: bool = True) -> None:
        """The M-step; `tension` says whether lambda moves too."""
        if tension and self.settings.favour_diagonal and self.settings.optimise_tension:
            self.tension = self._climbed(expected.feature)
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
        from crosslingua.word_aligners.ibm2_kernels import decode  # compiled

        links = np.empty(self.tokens, dtype=np.int32)
        decode(self._text, self._model, links)
        return links

    @property
    def _model(self) -> Model:
        return Model(self.table, self.null_table, self.tension, self.null_shares)

    def _climbed(self, feature: float) -> float:
        from crosslingua.word_aligners.ibm2_kernels import prior_feature  # compiled

        tension = self.tension
        for _ in range(TENSION_STEPS):
            gradient = feature - prior_feature(self.sizes, self.frequency, tension) / self.tokens
            tension = float(np.clip(tension + TENSION_RATE * gradient, *TENSION_BOUNDS))
        return tension


def null_shares(settings: FastAlign, longest: int) -> np.ndarray:
    """Return the prior of the null word by the given sentence's length (longest + 1,); in IBM Model 1 it is one in n
    + 1.
    """
    if settings.favour_diagonal or not settings.null_probability:
        return np.full(longest + 1, settings.null_probability)
    return 1 / (1.0 + np.arange(longest + 1))


def normalised(counts: np.ndarray, given: np.ndarray, vocabulary: int, alpha: float) -> np.ndarray:
    """Return t for expected `counts` (entries,), summing to one over the entries of a `given` word.

    With `alpha`, exp E[log theta] of the Dirichlet posterior, which sums to less.
    """
    totals = np.bincount(given, counts + alpha, vocabulary)
    if not alpha:
        return counts / np.where(totals > 0, totals, 1)[given]
    return np.exp(psi(counts + alpha) - psi(totals)[given])
