"""DICT-MLM (Chaudhary et al. 2020) as align_mlm uses it (appendix G.4): without the language-conditioning layer."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from torch import Tensor

from crosslingua.encoders.batches import Batch
from crosslingua.encoders.checked import Checked
from crosslingua.encoders.dictionary import translations
from crosslingua.encoders.objectives.objective import Encoded, Objective, Setup


@dataclass(frozen=True)
class DictMLMSettings(Checked):
    """Objective `dict_mlm`:

    - `dict_probability`: of predicting the dictionary's translation in place of the masked token (App. G.4)
    """

    dict_probability: float = 0.5

    not_negative = shares = ("dict_probability",)


class DictMLM(Objective):
    """MLM whose labels are, with probability `dict_probability`, translated where the dictionary has the token.

    The input is masked as ever; only what is to be predicted changes.
    """

    Settings = DictMLMSettings
    language_ids = True

    def __init__(self, setup: Setup):
        super().__init__(setup)
        self._translations = translations(setup.dictionary, setup.vocabulary)

    def prepare(self, batch: Batch, rng: np.random.Generator) -> None:
        """Translate labels of the step's batch."""
        translated = self._translations[batch.labels]
        chosen = (rng.random(batch.labels.shape) < self.settings.dict_probability) & (translated >= 0)
        batch.labels = np.where(chosen, translated, batch.labels)

    def forward(self, encoded: Encoded) -> Tensor:
        """Return the share of the mean over the step's masked positions."""
        return encoded.prediction_loss
