"""Taggers: from the vectors of a sentence's words to labels.

    tagger = TAGGERS[name].of(["hidden=100"], dimension, labels)   # a torch module; labels: their names, in order
    loss = tagger.loss(vectors, numbers)     # (rows, words, dimension), (rows, words) with PADDING behind the words
    best = tagger.decode(vectors, mask)      # (rows, words) numbers of labels

`tasks.tagger_training` trains a tagger with the trainable half of an embedder (`embedders`), on features of one
language or several; scripts/train_tagger.py is its command line.

To add a member: a file here with a subclass of `tagger.Tagger`, its settings in settings.py, a line below, a test in
tests/taggers/.
"""

from crosslingua.registry import Member, Registry


def _member(place: str, settings: str) -> Member:
    return Member(f"{__name__}.{place}", settings=f"{__name__}.settings:{settings}")


TAGGERS = Registry(
    "tagger",
    {
        "bilstm_crf": _member("bilstm_crf:BiLstmCrf", "BiLstmSettings"),
        "transformer_crf": _member("transformer_crf:TransformerCrf", "TransformerSettings"),
        "linear": _member("linear:Linear", "LinearSettings"),
        "majority": _member("majority:Majority", "MajoritySettings"),
    },
    group="crosslingua.taggers",
)
