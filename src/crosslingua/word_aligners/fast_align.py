"""fast_align (Dyer, Chahuneau and Smith 2013): IBM Model 2 in both directions, trained on the text that it aligns.

Defaults are those of the published program with `-d -o -v`, and grow-diag-final-and. Where the program divides
the gradient of the tension by a normaliser with its two lengths swapped, this has them in order.
"""

import numpy as np

from crosslingua.settings import settings
from crosslingua.word_aligners.cooccurrence import Cooccurrence
from crosslingua.word_aligners.ibm2 import IBM2
from crosslingua.word_aligners.settings import FastAlignSettings
from crosslingua.word_aligners.text_aligner import TextAligner


@settings
class FastAlign(FastAlignSettings, TextAligner):
    """Links by IBM Model 2 in each direction, with a word's jump from the diagonal as its prior."""

    def _direction(self, text: Cooccurrence, reverse: bool, number: int) -> np.ndarray:
        model = IBM2(text, reverse, self)
        model.train()
        return model.decode()
