"""DICT-MLM (Chaudhary et al. 2020) as align_mlm has it (section 3, appendix G.4): masks, or code-switched text.

Of the tokens to predict, a share `dict_probability` is replaced by translations, with the id of the other language.
Tokens without a translation stay. The other tokens are masked as in MLM. The target is the token of the text in both
cases, as in the authors' program. There is no language-conditioning layer (G.4).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from crosslingua.encoders.batches import Batch
from crosslingua.encoders.data import translations
from crosslingua.encoders.objectives.objective import Objective, Setup
from crosslingua.encoders.objectives.settings import DictMLMSettings
from crosslingua.errors import ConfigError

if TYPE_CHECKING:
    from crosslingua.encoders.settings import Pretraining


class DictMLM(Objective):
    """MLM on text of which some tokens to predict are translated instead of masked."""

    settings: DictMLMSettings
    language_ids = True

    def __init__(self, setup: Setup):
        super().__init__(setup)
        self._translations = translations(setup.dictionary, setup.vocabulary)

    @classmethod
    def check(cls, run: Pretraining) -> None:
        """Raise ConfigError unless there are two languages, so a translation has the other language's id."""
        if run.language_ids and len(run.languages) != 2:
            raise ConfigError(
                f"dict_mlm with language ids is for two languages, not {', '.join(run.languages)}: "
                "say language_ids=false"
            )

    def prepare(self, batch: Batch, rng: np.random.Generator) -> None:
        """Undo the masks of a share of the step's tokens to predict, and translate these."""
        chosen = batch.filled & (rng.random(batch.labels.shape) < self.settings.dict_probability)
        rows, columns, tokens = np.nonzero(chosen)[0], batch.columns[chosen], batch.labels[chosen]
        translated = self._translations[tokens]
        known = translated >= 0
        batch.ids[rows, columns] = np.where(known, translated, tokens)
        if batch.languages is not None:
            places = rows[known], columns[known]
            batch.languages[places] = 1 - batch.languages[places]  # of two languages: the other one
