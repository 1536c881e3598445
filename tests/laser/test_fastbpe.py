from collections import Counter

import numpy as np
import pytest

from crosslingua.encoders.data import Pieces
from crosslingua.encoders.tokenizer_training import make_tokenizer, save_tokenizer, train_bpe
from crosslingua.errors import InputError
from crosslingua.laser import model as module
from crosslingua.laser.model import FastBPE, FastBPESubwords, Laser, LaserEncoder, TokenizerSubwords
from texts import written

# Sennrich et al. 2016's example words: low, lower, newest, widest.
MERGES = [("e", "s"), ("es", "t</w>"), ("l", "o"), ("lo", "w</w>"), ("lo", "w"), ("n", "e"), ("ne", "w")]
SPECIALS = {"<s>": 0, "<pad>": 1, "</s>": 2, "<unk>": 3}


@pytest.mark.parametrize(("word", "subwords"), [
    ("low", ("low",)),  # l o w</w> -> lo w</w> -> low</w>
    ("lowest", ("low@@", "est")),  # best merges first: es, est</w>, lo, low
    ("newest", ("new@@", "est")), ("wider", ("w@@", "i@@", "d@@", "e@@", "r")),
    ("lolo", ("lo@@", "l@@", "o")),  # the last o is `o</w>`, and `l o</w>` is no merge
    ("aaaaab", ("aa@@", "aa@@", "a@@", "b")),  # every occurrence, from the left
    ("eses", ("es@@", "e@@", "s")), ("w", ("w",)), ("", ()),
])  # fmt: skip
def test_merges_best_first(word, subwords):
    assert FastBPE([*MERGES, ("a", "a")]).split(word) == subwords


def test_unknown_subwords_fall_apart_along_their_merges():
    known = {"lo@@", "w@@", "est"}
    assert FastBPE(MERGES, known).split("lowest") == ("lo@@", "w@@", "est")
    # down to characters, known or not: est -> es t -> e s t
    assert FastBPE(MERGES, {"low@@", "t"}).split("lowest") == ("low@@", "e@@", "s@@", "t")


def test_words_become_ids_of_the_dictionary():
    subwords = FastBPESubwords(FastBPE(MERGES), {**SPECIALS, "low@@": 4, "est": 5})
    # x@@ and low are not in the dictionary
    assert subwords.split(["LOWEST", "xlow", ""]) == [[4, 5], [3, 3], [3]]


def test_folder_round_trip(tmp_path):
    subwords = FastBPESubwords(FastBPE(MERGES, {"lo@@", "w"}), {**SPECIALS, "lo@@": 4, "w": 5})
    subwords.save(tmp_path)
    for either in (subwords, FastBPESubwords.load(tmp_path)):
        assert either.split(["low", "est"]) == [[4, 5], [3, 3, 3]]


def test_files(tmp_path):
    file = tmp_path / "file"
    assert module.read_codes(written(file, "e s 9\nes t</w> 8\n")) == [("e", "s"), ("es", "t</w>")]
    assert module.read_vocabulary(written(file, "es@@ 3\nt 2\n")) == {"es@@", "t"}
    with pytest.raises(InputError, match="file:2: expected `a b count`"):
        module.read_codes(written(file, "e s 9\n#version: 0.2\n"))
    with pytest.raises(InputError, match="file:1: expected `subword count`"):
        module.read_vocabulary(written(file, "es@@\n"))


LINES = ["low lower newest", "widest low new", "lowest"]


@pytest.fixture
def folder(tmp_path):
    bpe = train_bpe(Counter(" ".join(LINES).split() * 3), 30)
    save_tokenizer(tmp_path / "tokenizer", make_tokenizer(bpe["vocab"], bpe["merges"]))
    return tmp_path / "tokenizer"


def load(folder) -> Laser:
    subwords = TokenizerSubwords(folder)
    return Laser(LaserEncoder(40, subwords.padding, embedding_size=2, hidden_size=2, layers=1), subwords)


def test_reads_words_as_training_reads_lines(folder):
    pieces = Pieces(folder)
    trained = pieces.encode(LINES)
    readings = load(folder).read([line.split() for line in LINES])
    for row in range(len(LINES)):
        ids = trained.values[trained.offsets[row] : trained.offsets[row + 1]]
        assert readings.ids.padded(np.array([row]), 0)[0].tolist() == [*ids, pieces.specials.end]


def test_a_batch_knows_the_word_of_each_subword(folder):
    laser = load(folder)
    sentences = [["lowest", "", "wide"], [], ["new", "lowest"]]
    readings, rows = laser.read(sentences), np.array([2, 0, 1])
    ids, lengths = laser.batch(readings, rows)
    words = readings.words.padded(rows, -1)
    for row, sentence in enumerate([sentences[2], sentences[0], sentences[1]]):
        split = laser.subwords.split(sentence)
        expected = [(subword, number) for number, word in enumerate(split) for subword in word]
        expected.append((laser.subwords.end, -1))
        assert lengths[row] == len(expected)
        expected += [(laser.subwords.padding, -1)] * (ids.shape[1] - len(expected))
        assert list(zip(ids[row].tolist(), words[row].tolist(), strict=True)) == expected


def test_a_folder_without_a_tokenizer(tmp_path):
    with pytest.raises(InputError, match=r"no tokenizer.json in it"):
        TokenizerSubwords(tmp_path)
