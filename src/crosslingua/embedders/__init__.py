"""Embedders: the words of sentences become vectors, on which a tagger is trained (`taggers`).

An embedder has two halves.

The frozen half is computed once a data set and read by every tagger, seed and setting:

    embedder = EMBEDDERS[name].of(["vectors=en.vec"])     # settings are the fields of a frozen dataclass
    features = embedder.embed(sentences, language)        # sentences: sequences of at least one word
    features.save(path)                                   # scripts/embed_words.py; Features.load maps it into memory

`features.Features` holds a table of rows (rows, layers, d) in bf16, and of each word the numbers of its rows: one for
a word vector, several for pieces that are put together within the tagger.

The trainable half, a torch module, is trained with the tagger; for most members nothing is left to learn:

    layer = EMBEDDERS[features.embedder].layer(features)  # a word_layer.WordLayer; layer.dimension is what comes out
    vectors = layer(features.batch(numbers))              # (batch, words, layer.dimension), zero where there is no word

To add a member: a file here with a subclass of `embedder.Embedder` (`embed`, and `layer` if something is learnt), a
line below, a test in tests/embedders/.
"""

from crosslingua.registry import Member, Registry

# `needs`: settings that name a file or folder, which must be given.
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
)
