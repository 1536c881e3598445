"""Criteria without gold, on spaces of three and four words worked by hand, and against MUSE's program."""

import numpy as np
import pytest

from crosslingua.errors import ConfigError
from crosslingua.io.vectors import WordVectors
from crosslingua.lexicon_induction.unsupervised import induce
from crosslingua.mappers.muse import Muse


def at(words: str, *degrees: float) -> WordVectors:
    angles = np.radians(degrees)
    return WordVectors(words.split(), np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32))


# a and b both choose x, which is 10 degrees from a and 20 from b; c chooses z, and is nearest to it.
SOURCE, TARGET = at("a b c", 0, 30, 200), at("x y z", 10, 90, 205)


def test_mean_cosine_and_mutual_by_hand() -> None:
    lexicon, found = induce(SOURCE, TARGET, "nn")
    assert found["mean_cosine"] == pytest.approx(np.cos(np.radians([10, 20, 5])).mean())
    assert found["mutual"] == pytest.approx(100 * 2 / 3)  # a and c; x does not retrieve b back
    assert (found["n_queries"], found["signature"]) == (3, "nn|vocab=200000")
    first = {word: ranked[0][0] for word, ranked in lexicon.translations.items()}
    assert first == {"a": "x", "b": "x", "c": "z"}


def test_queries_are_the_most_frequent_but_are_retrieved_back_among_all_words() -> None:
    source = at("b c a", 30, 200, 0)
    lexicon, found = induce(source, TARGET, "nn", queries=1)
    assert list(lexicon.translations) == ["b"]
    assert (found["n_queries"], found["mutual"]) == (1, 0.0)  # x prefers a, which is no query
    _, cut = induce(source, TARGET, "nn", queries=1, max_vocabulary=2)
    assert (cut["mutual"], cut["signature"]) == (100.0, "nn|vocab=2")  # a is cut off


def test_by_csls_it_is_the_criterion_of_muse() -> None:
    rng = np.random.default_rng(0)
    matrices = [rng.normal(size=(50, 8)).astype(np.float32) for _ in range(2)]
    words = [f"w{i}" for i in range(50)]
    _, found = induce(*(WordVectors(words, matrix) for matrix in matrices), "csls", queries=30)
    expected = Muse(criterion_words=30).criterion(*matrices, np.eye(8, dtype=np.float32))
    assert found["mean_cosine"] == pytest.approx(expected, abs=1e-6)


def test_no_query_is_refused() -> None:
    with pytest.raises(ConfigError, match="at least one query"):
        induce(SOURCE, TARGET, queries=0)
