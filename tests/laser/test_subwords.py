from collections import Counter

import numpy as np
import pytest

from crosslingua.encoders.data import Pieces
from crosslingua.encoders.tokenizer_training import make_tokenizer, save_tokenizer, train_bpe
from crosslingua.errors import InputError
from crosslingua.laser.fastbpe import TokenizerSubwords
from crosslingua.laser.laser import Laser, LaserEncoder

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
        ids = trained.pieces[trained.offsets[row] : trained.offsets[row + 1]]
        assert readings.ids.padded(np.array([row]), 0)[0].tolist() == [*ids, pieces.specials.end]


def test_a_batch_knows_the_word_of_each_subword(folder):
    laser = load(folder)
    sentences = [["lowest", "", "wide"], [], ["new", "lowest"]]
    batch = laser.batch(laser.read(sentences), np.array([2, 0, 1]))
    for row, sentence in enumerate([sentences[2], sentences[0], sentences[1]]):
        split = laser.subwords.split(sentence)
        expected = [(subword, number) for number, word in enumerate(split) for subword in word]
        expected.append((laser.subwords.end, -1))
        assert batch.lengths[row] == len(expected)
        expected += [(laser.subwords.padding, -1)] * (batch.ids.shape[1] - len(expected))
        assert list(zip(batch.ids[row].tolist(), batch.words[row].tolist(), strict=True)) == expected


def test_every_word_keeps_a_subword(folder):
    assert all(TokenizerSubwords(folder).split(["", "日本", "\u200b", "low"]))


def test_a_folder_without_a_tokenizer(tmp_path):
    with pytest.raises(InputError, match=r"no tokenizer.json in it"):
        TokenizerSubwords(tmp_path)
