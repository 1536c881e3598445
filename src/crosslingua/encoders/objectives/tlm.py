"""Translation language modelling (Conneau and Lample 2019; align_mlm, appendix G.3)."""

from crosslingua.encoders.objectives.objective import Objective


class TLM(Objective):
    """L_TLM: masked language modelling of a sentence and its translation, read together.

    With `parallel: mixed`, its rows stand among rows of text, and both have one mean loss (App. G.3).
    """

    language_ids = True
    mixes = True
