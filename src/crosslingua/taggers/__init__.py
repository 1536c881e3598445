"""Taggers: the vectors of a sentence's words become labels.

    tagger = TAGGERS[name].of(["hidden=100"], dimension, labels)   # a torch module; labels: their names, in order
    loss = tagger.loss(vectors, numbers)     # (rows, words, dimension), (rows, words) with PADDING where there is none
    best = tagger.decode(vectors, mask)      # (rows, words) numbers of labels

`tasks.tagger_training` trains one together with the trainable half of an embedder (`embedders`), on features of one
language or several, and scripts/train_tagger.py is how that is called:

    --train ner/en=train.conll,train.safetensors    data and their features; several: trained on their union
    --share ner/de=0.25                             of a training set and of its validation set
    --valid, --test                                 as --train; a tagger of one language can be tested on others
    --set learning_rate=0.01 tagger.hidden=50       settings of training, and of the tagger
    --out OUT                                       OUT/NAME.conll for each test set, and training.json

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
