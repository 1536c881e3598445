"""Masked language modelling (Devlin et al. 2019), with dynamic masking (Liu et al. 2019)."""

from crosslingua.encoders.objectives.objective import Objective


class MLM(Objective):
    """L_MLM: the mean cross-entropy of the masked tokens of text."""
