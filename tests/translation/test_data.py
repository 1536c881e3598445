"""Shared words are one row under joint, two under align; a language generates its own words and shared words only."""

import numpy as np
import pytest

from crosslingua.errors import ConfigError, InputError
from crosslingua.io.vectors import WordVectors
from crosslingua.translation.data import BLANK, PAD, UNKNOWN, Vocabulary, build_vocabulary, frequent_words
from crosslingua.translation.training import covered, initial_table

WORDS = (["the", "die", "radio"], ["die", "radio", "das"])


def build(shared: set[str]) -> Vocabulary:
    return build_vocabulary(("en", "de"), WORDS, shared)


def test_a_shared_word_is_one_row_under_joint_and_two_under_align() -> None:
    joint, align = build({"die", "radio"}), build(set())
    assert joint.rows[0]["radio"] == joint.rows[1]["radio"]
    assert align.rows[0]["radio"] != align.rows[1]["radio"]
    assert joint.size == align.size - 2


def test_reallocated_words_are_two_rows_and_words_of_one_text_are_never_shared() -> None:
    words = build({"radio", "the"})
    assert words.shared == ("radio",)
    assert words.rows[0]["die"] != words.rows[1]["die"]


@pytest.mark.parametrize("shared", [set(), {"radio"}, {"die", "radio"}])
def test_outputs_are_the_end_mark_and_the_words_of_a_language(shared: set[str]) -> None:
    words = build(shared)
    for side in (0, 1):
        rows = range(words.size)[words.outputs(side)]
        assert set(rows) == {words.end, *words.rows[side].values()}
    assert len({PAD, UNKNOWN, BLANK, words.end}) == 4


def test_words_come_back() -> None:
    words = build({"radio"})
    ids = words.encode(1, ["das", "radio", "nichts"])
    assert words.decode(ids) == ["das", "radio", "<unk>"]
    assert len(words.words) == words.size


def test_unknown_language() -> None:
    with pytest.raises(ConfigError, match="en and de"):
        build(set()).language("fr")


def test_frequent_words() -> None:
    text = [["b", "a", "b"], ["c", "a", "b"]]
    assert frequent_words(text, 1, 10) == ["b", "a", "c"]
    assert frequent_words(text, 2, 1) == ["b"]


def vectors(**rows: list[float]) -> WordVectors:
    return WordVectors(list(rows), np.array(list(rows.values()), np.float32))


def test_words_begin_with_the_vectors_of_their_language() -> None:
    english, german = vectors(the=[3, 4], die=[0, 2], radio=[1, 0]), vectors(die=[1, 0], das=[0, -5])
    words = build(set())
    table = initial_table(words, [english, german], seed=1)
    # German has no vector of radio, which it cites: it begins with that of the other language, as a row of its own.
    begun = {"the": [0.6, 0.8], "die": [0, 1]}, {"die": [1, 0], "das": [0, -1], "radio": [1, 0]}
    for rows, expected in zip(words.rows, begun, strict=True):
        np.testing.assert_allclose(table[[rows[word] for word in expected]], [*expected.values()], atol=1e-6)
    np.testing.assert_allclose(np.linalg.norm(table, axis=1), 1, atol=1e-5)
    assert covered(words, [english, german]) == pytest.approx([100, 200 / 3])


def test_vectors_of_other_dimensions_are_refused() -> None:
    with pytest.raises(InputError, match="2 and 1 dimensions"):
        initial_table(build(set()), [vectors(the=[1, 2]), vectors(die=[1])], seed=1)
