"""Objectives of pre-training: each adds a term to the loss (docs/methods/encoders.md).

A member `needs` the stream that it reads, `text` or `bitext`, and, if it uses one, a `dictionary`.
"""

from crosslingua.registry import Member, Registry

OBJECTIVES = Registry(
    "objective",
    {
        "mlm": Member("crosslingua.encoders.objectives.mlm:MLM", ("text",)),
        "tlm": Member("crosslingua.encoders.objectives.tlm:TLM", ("bitext",)),
        "dict_mlm": Member("crosslingua.encoders.objectives.dict_mlm:DictMLM", ("text", "dictionary")),
        "align_mlm": Member("crosslingua.encoders.objectives.align_mlm:AlignMLM", ("text", "dictionary")),
        "dwa": Member("crosslingua.encoders.objectives.dwa:DWA", ("bitext",)),
        "span_corruption": Member(
            "crosslingua.encoders.objectives.span_corruption:SpanCorruption", ("text",)
        ),
    },
)
