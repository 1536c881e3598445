"""Word aligners: sentence pairs of words to links between their words (docs/methods/word-alignment.md)."""

from crosslingua.registry import Member, Registry


def _member(place: str, settings: str) -> Member:
    return Member(f"{__name__}.{place}", settings=f"{__name__}.settings:{settings}")


ALIGNERS = Registry(
    "word aligner",
    {
        "fast_align": _member("fast_align:FastAlign", "FastAlignSettings"),
        "gibbs": _member("gibbs:Gibbs", "GibbsSettings"),
        "simalign_argmax": _member("simalign:SimAlignArgmax", "SimAlignSettings"),
        "simalign_itermax": _member("simalign:SimAlignItermax", "ItermaxSettings"),
        "optimal_transport": _member("optimal_transport:OptimalTransport", "TransportSettings"),
    },
    group="crosslingua.aligners",
)
