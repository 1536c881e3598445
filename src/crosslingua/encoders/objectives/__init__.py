"""Objectives of pre-training: each adds a term to the loss (docs/encoders.md)."""

from crosslingua.registry import Registry

OBJECTIVES = Registry(
    "objective",
    {
        "mlm": "crosslingua.encoders.objectives.mlm:MLM",
        "tlm": "crosslingua.encoders.objectives.tlm:TLM",
        "dict_mlm": "crosslingua.encoders.objectives.dict_mlm:DictMLM",
        "align_mlm": "crosslingua.encoders.objectives.align_mlm:AlignMLM",
        "dwa": "crosslingua.encoders.objectives.dwa:DWA",
    },
)
