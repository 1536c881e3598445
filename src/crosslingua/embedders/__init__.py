"""Embedders turn the words of sentences into vectors, which taggers (`taggers`) read.

The frozen half is computed once a data set and serves every tagger, seed and setting:

    embedder = EMBEDDERS[name].of(["vectors=en.vec"])     # settings are the fields of a frozen dataclass
    features = embedder.embed(sentences, language)        # sentences: sequences of at least one word
    features = embedder.embed(sentences, language, "cuda")   # the same, where an encoder reads on a GPU
    features.save(path)                                   # scripts/embed_words.py; Features.load maps it into memory

`features.Features` holds a table (rows, layers, d) in bf16, and the rows of each word: one, or one for each piece. The
trainable half, a torch module, is trained with the tagger; most members have no parameters:

    layer = EMBEDDERS[features.embedder].layer(features)  # a WordLayer; layer.dimension is the output's
    vectors = layer(features.batch(numbers))              # (batch, words, layer.dimension), zero at padding

To add a member, write a file with a subclass of `embedder.Embedder` (`embed`, and `layer` for parameters), a line
below, and a test.
"""

from crosslingua.registry import Member, Registry

STATIC = ("static_vectors", "random_vectors")  # a word has one vector in all sentences, which can be tuned

# `needs`: settings that name a required file or folder.
EMBEDDERS = Registry(
    "embedder",
    {
        "static_vectors": Member("crosslingua.embedders.static_vectors:StaticVectors", needs=("vectors",)),
        "random_vectors": Member("crosslingua.embedders.random_vectors:RandomVectors"),
        "encoder_layers": Member("crosslingua.embedders.encoder_layers:EncoderLayers", needs=("encoder",)),
        "bpe_bow": Member("crosslingua.embedders.bpe_bow:BpeBow", needs=("encoder",)),
        "bpe_gru": Member("crosslingua.embedders.bpe_gru:BpeGru", needs=("encoder",)),
        "laser_top": Member("crosslingua.embedders.laser_top:LaserTop", needs=("encoder",)),
        "laser_elmo": Member("crosslingua.embedders.laser_elmo:LaserElmo", needs=("encoder",)),
        "lstm_no_pretraining": Member(
            "crosslingua.embedders.lstm_no_pretraining:LstmNoPretraining", needs=("encoder",)
        ),
    },
    group="crosslingua.embedders",
)
