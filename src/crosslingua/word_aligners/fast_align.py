"""fast_align (Dyer, Chahuneau and Smith 2013): IBM Model 2 in both directions, trained on the text that it aligns.

Defaults are those of the published program with `-d -o -v`, and grow-diag-final-and. Where the program divides
the gradient of the tension by a normaliser with its two lengths swapped, this has them in order.
"""

from typing import Annotated

import numpy as np

from crosslingua.settings import Count, Dropout, NotNegative, Positive, settings
from crosslingua.word_aligners.cooccurrence import Cooccurrence
from crosslingua.word_aligners.ibm2 import IBM2
from crosslingua.word_aligners.text_aligner import TextAligner


@settings
class FastAlign(TextAligner):
    """Settings; the same text and settings give the same links, whatever the number of threads."""

    iterations: Annotated[Count, "passes over the text; the last one decodes"] = 5
    favour_diagonal: Annotated[bool, "the program's -d; without it IBM Model 1"] = True
    optimise_tension: Annotated[bool, "the program's -o: the tension follows the text"] = True
    variational_bayes: Annotated[bool, "the program's -v"] = True
    tension: Annotated[NotNegative, "lambda at the start"] = 4.0
    null_probability: Annotated[Dropout, "p0; 0 leaves out the null word"] = 0.08
    alpha: Annotated[Positive, "of the Dirichlet prior"] = 0.01

    def _direction(self, text: Cooccurrence, reverse: bool, number: int) -> np.ndarray:
        model = IBM2(text, reverse, self)
        model.train()
        return model.decode()
