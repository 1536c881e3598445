"""Objectives of pre-training: each adds a term to the loss (docs/methods/encoders.md).

A member `needs` the stream that it reads, `text` or `bitext`, and, if it uses one, a `dictionary`.
"""

from crosslingua.registry import Member, Registry


def _member(place: str, needs: tuple[str, ...], settings: str = "NoSettings") -> Member:
    return Member(f"{__name__}.{place}", needs, f"{__name__}.settings:{settings}")


OBJECTIVES = Registry(
    "objective",
    {
        "mlm": _member("mlm:MLM", ("text",)),
        "tlm": _member("tlm:TLM", ("bitext",)),
        "dict_mlm": _member("dict_mlm:DictMLM", ("text", "dictionary"), "DictMLMSettings"),
        "align_mlm": _member("align_mlm:AlignMLM", ("text", "dictionary"), "AlignMLMSettings"),
        "dwa": _member("dwa:DWA", ("bitext",), "DWASettings"),
        "span_corruption": _member("span_corruption:SpanCorruption", ("text",), "SpanCorruptionSettings"),
    },
)
