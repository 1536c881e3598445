"""Subwords of words against those that fastText lists."""

from pathlib import Path

import fasttext
import numpy as np
import pytest

from crosslingua.word_embeddings.subwords import subwords_of
from texts import written

WORDS = ["a", "an", "banana", "übergrößen", "日本語の", "naïve", "😀x", "x-1"]


@pytest.mark.parametrize(("smallest", "largest"), [(3, 6), (1, 2), (2, 4), (5, 5)])
def test_subwords_are_those_of_fasttext(tmp_path: Path, smallest: int, largest: int) -> None:
    text, buckets = written(tmp_path / "text", " ".join(WORDS) + "\n"), 500
    model = fasttext.train_unsupervised(
        str(text),
        dim=1,
        epoch=1,
        minCount=1,
        minn=smallest,
        maxn=largest,
        bucket=buckets,
        lr=1e-9,
        thread=10,
        t=1,
    )
    starts, rows, size = subwords_of([*WORDS, "</s>"], smallest, largest, buckets)
    bucket_of = {}
    for number, word in enumerate(WORDS):
        found = rows[starts[number] : starts[number + 1]]
        assert found[0] == number
        theirs = model.get_subwords(word)[1][1:]
        assert len(found) - 1 == len(theirs)
        bucket_of |= dict(zip(found[1:].tolist(), theirs.tolist(), strict=True))
    assert len(bucket_of) == size - len(WORDS) - 1
    buckets_in_order = [bucket_of[row] for row in sorted(bucket_of)]  # rows have the order of buckets
    assert buckets_in_order == sorted(set(buckets_in_order))
    assert rows[starts[-2] :].tolist() == [len(WORDS)]


def test_words_alone_have_a_row_each() -> None:
    starts, rows, size = subwords_of(WORDS, 0, 0, 100)
    assert (np.arange(9) == starts).all()
    assert (rows == np.arange(8)).all()
    assert size == 8
