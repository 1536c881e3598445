"""Word aligners: sentence pairs of words to links between their words (docs/methods/word-alignment.md)."""

from crosslingua.registry import Member, Registry


def _of_vectors(place: str, settings: str) -> Member:
    return Member(f"{__name__}.{place}", settings=f"{__name__}.settings:{settings}")


ALIGNERS = Registry(
    "word aligner",
    {
        "fast_align": "crosslingua.word_aligners.fast_align:FastAlign",
        "gibbs": "crosslingua.word_aligners.gibbs:Gibbs",
        "simalign_argmax": _of_vectors("simalign:SimAlignArgmax", "SimAlignSettings"),
        "simalign_itermax": _of_vectors("simalign:SimAlignItermax", "ItermaxSettings"),
        "optimal_transport": _of_vectors("optimal_transport:OptimalTransport", "TransportSettings"),
    },
)
