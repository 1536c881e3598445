"""Translation language modelling (Conneau and Lample 2019; align_mlm, appendix G.3)."""

from torch import Tensor

from crosslingua.encoders.objectives.objective import Encoded, Objective


class TLM(Objective):
    """L_TLM: masked language modelling of a sentence and its translation, read together.

    With `parallel: mixed` its rows are among those of text and the loss of both is one mean (App. G.3).
    """

    language_ids = True
    mixes = True

    def forward(self, encoded: Encoded) -> Tensor:
        """Return the share of the mean over the step's masked positions."""
        return encoded.prediction_loss
