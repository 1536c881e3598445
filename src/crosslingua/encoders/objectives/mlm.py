"""Masked language modelling (Devlin et al. 2019), with dynamic masking (Liu et al. 2019)."""

from torch import Tensor

from crosslingua.encoders.objectives.objective import Encoded, Objective


class MLM(Objective):
    """L_MLM: the mean cross-entropy of the masked tokens of text."""

    def forward(self, encoded: Encoded) -> Tensor:
        """Return the share of the mean over the step's masked positions."""
        return encoded.prediction_loss
