from __future__ import annotations

from collections import Counter

import pytest

from crosslingua.encoders.laser.tokenizer_subwords import TokenizerSubwords
from crosslingua.encoders.pieces import Pieces
from crosslingua.encoders.tokenizer_training import make_tokenizer, save_tokenizer, train_bpe
from crosslingua.errors import InputError

LINES = ["low lower newest", "widest low new", "lowest"]


@pytest.fixture
def folder(tmp_path):
    bpe = train_bpe(Counter(" ".join(LINES).split() * 3), 30)
    save_tokenizer(tmp_path / "tokenizer", make_tokenizer(bpe["vocab"], bpe["merges"]))
    return tmp_path / "tokenizer"


def test_reads_words_as_training_reads_lines(folder):
    pieces = Pieces(folder)
    trained = pieces.encode(LINES)
    for number, reading in enumerate(TokenizerSubwords(folder).read([line.split() for line in LINES])):
        ids = trained.pieces[trained.offsets[number] : trained.offsets[number + 1]]
        assert reading.ids.tolist() == [*ids, pieces.specials.end]


def test_subwords_know_their_words(folder):
    subwords = TokenizerSubwords(folder)
    words = ["lowest", "", "wider", "new", ""]
    (reading,) = subwords.read([words])
    assert sorted(set(reading.words.tolist())) == [-1, 0, 1, 2, 3, 4]
    assert (reading.words[:-1].tolist(), reading.words[-1]) == (sorted(reading.words[:-1].tolist()), -1)
    for number, word in enumerate(words):
        (alone,) = subwords.read([[word]])
        assert reading.ids[reading.words == number].tolist() == alone.ids[:-1].tolist()


def test_a_folder_without_a_tokenizer(tmp_path):
    with pytest.raises(InputError, match=r"no tokenizer.json in it"):
        TokenizerSubwords(tmp_path)
