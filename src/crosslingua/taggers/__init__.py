"""Taggers: from the vectors of a sentence's words to labels.

    tagger = TAGGERS[name].of(["hidden=100"], dimension, labels)   # a torch module; labels: their names, in order
    loss = tagger.loss(vectors, numbers)     # (rows, words, dimension), (rows, words) with PADDING behind the words
    best = tagger.decode(vectors, mask)      # (rows, words) numbers of labels

`tasks.tagger_training` trains a tagger with the trainable half of an embedder (`embedders`), on features of one
language or several; scripts/train_tagger.py is its command line.

To add a member: a file here with a subclass of `tagger.Tagger`, a line below, a test in tests/taggers/.
"""

from crosslingua.registry import Registry

TAGGERS = Registry(
    "tagger",
    {
        "bilstm_crf": "crosslingua.taggers.bilstm_crf:BiLstmCrf",
        "transformer_crf": "crosslingua.taggers.transformer_crf:TransformerCrf",
        "linear": "crosslingua.taggers.linear:Linear",
        "majority": "crosslingua.taggers.majority:Majority",
    },
)
