"""Bayesian word alignment by collapsed Gibbs sampling, after Östling and Tiedemann 2016 and without their program.

IBM Model 1, then a hidden Markov model of jumps, then that with fertilities (`sampling`), in both directions.
Several samplers start from nothing. A word's link is the most probable one in the mean of its conditional
distributions over all samplers and all passes of the last model.
"""

import math

import numpy as np

from crosslingua.settings import settings
from crosslingua.word_aligners.cooccurrence import Cooccurrence
from crosslingua.word_aligners.sampling import LinkSampler
from crosslingua.word_aligners.settings import ENOUGH, GibbsSettings
from crosslingua.word_aligners.text_aligner import TextAligner

# Passes of the last model where they are not ENOUGH: fewer of a large text, whose counts say more and whose words cost
# more; more of a tiny one.
OF_LARGE, OF_TINY = 5000, 800  # over the root of the number of sentence pairs
CELLS = 10_000  # source words times target words that count as a pair: lines of thousands of words would take hours


@settings
class Gibbs(GibbsSettings, TextAligner):
    """Links by samplers of a hidden Markov model with fertilities in each direction."""

    def _direction(self, text: Cooccurrence, reverse: bool, number: int) -> np.ndarray:
        root = math.sqrt(max(len(text), len(text.entries) / CELLS))
        passes = self.passes or max(2, round(max(OF_TINY / root, min(ENOUGH, OF_LARGE / root))))
        sampler = LinkSampler(text, reverse, number, self)
        sampler.sweep(1, null=False)  # without counts, the null word would draw every other word to itself
        sampler.sweep(max(1, passes // 4))
        sampler.sweep(max(1, passes // 2), jumps=True)
        sampler.sweep(passes, jumps=True, fertility=True, collect=True)
        return sampler.decode()
