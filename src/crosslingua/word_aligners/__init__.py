"""Word aligners: sentence pairs of words to links between their words (docs/methods/word-alignment.md)."""

from crosslingua.registry import Registry

ALIGNERS = Registry(
    "word aligner",
    {
        "fast_align": "crosslingua.word_aligners.fast_align:FastAlign",
        "gibbs": "crosslingua.word_aligners.gibbs:Gibbs",
        "simalign_argmax": "crosslingua.word_aligners.simalign:SimAlignArgmax",
        "simalign_itermax": "crosslingua.word_aligners.simalign:SimAlignItermax",
        "optimal_transport": "crosslingua.word_aligners.optimal_transport:OptimalTransport",
    },
)
