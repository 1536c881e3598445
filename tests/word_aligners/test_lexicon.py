"""The words that links of bitext make each other's translation, by hand and against brute force."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crosslingua.errors import InputError
from crosslingua.io.pharaoh import Links
from crosslingua.word_aligners.lexicon import (
    linked_examples,
    linked_words,
    ranked_translations,
    read_linked_words,
)
from texts import written


def test_words_are_each_others_best_translation() -> None:
    """`das` goes with `the` twice of three links and four; `Haus` with `house` in both of its links."""
    sentences = [
        ("das Haus .", "the house .", "0-0 1-1 2-2"),
        ("das Haus", "the house", "0-0 1-1"),
        ("das Buch", "this book", "0-0 1-1"),
        ("die Katze", "the cat", "0-0"),
        ("der", "the", "0-0"),
    ]
    read = [(a.split(), b.split(), linked(links)) for a, b, links in sentences]
    assert linked_words(read) == [("Haus", "house"), ("das", "the"), ("Buch", "book")]


def linked(text: str) -> Links:
    return Links.of((int(i), int(j)) for i, _, j in (word.partition("-") for word in text.split()))


WORD = st.sampled_from("abcde.")
PAIRS = st.lists(st.tuples(WORD, WORD), max_size=40)


@given(PAIRS)
def test_no_other_word_is_linked_better(pairs: list[tuple[str, str]]) -> None:
    found = linked_words(([a], [b], Links.of([(0, 0)])) for a, b in pairs)
    words = [(a, b) for a, b in pairs if "." not in (a, b)]

    def dice(a: str, b: str) -> float:
        return 2 * words.count((a, b)) / sum((x == a) + (y == b) for x, y in words)

    for a, b in found:
        assert all(dice(a, b) >= dice(x, y) for x, y in words if x == a or y == b)
    assert len({*dict(found)}) == len({*dict(found).values()}) == len(found)
    if words:  # the best of all pairs is among those found
        assert max(dice(*pair) for pair in words) == max(dice(*pair) for pair in found)


def test_files_are_read_in_lower_case_and_links_of_other_sentences_are_refused(tmp_path: Path) -> None:
    sides = [written(tmp_path / "a", "Işık I\n"), written(tmp_path / "b", "Light LIGHT\n")]
    links = written(tmp_path / "links", "0-0 1-1\n")
    found = read_linked_words(sides, links, ["tr", "en"], lower=True)
    assert found == [("ı", "light")] or found == [("işık", "light")]
    assert read_linked_words(sides, links, ["tr", "en"]) == [("I", "LIGHT"), ("Işık", "Light")]
    written(tmp_path / "links", "0-0 1-2\n")
    with pytest.raises(InputError, match="link 1-2 is outside"):
        read_linked_words(sides, links, ["tr", "en"])


def test_candidates_of_a_word_are_ranked_by_dice() -> None:
    """`a` and `x`: 2 * 2 / (3 + 2); `a` and `y`: 2 * 1 / (3 + 3); `b` and `y`: 2 * 2 / (2 + 3)."""
    sentences = [(["a", "b"], ["x", "y"], linked("0-0 1-1"))] * 2 + [(["a"], ["y"], linked("0-0"))]
    assert ranked_translations(sentences) == {
        "a": [("x", 0.8, 2), ("y", pytest.approx(1 / 3), 1)],
        "b": [("y", 0.8, 2)],
    }


def test_the_example_of_two_words_is_the_first_short_sentence_pair_that_links_them() -> None:
    """`a` and `x` are linked in a long pair first; `b` and `y` in a long pair alone; full stops have no example."""
    long = ["a", "b", *["."] * 19], ["x", "y", "."]
    sentences = [
        (*long, linked("0-0 1-1 2-2")),
        (["a", "c"], ["z", "x"], linked("0-1")),
        (["a"], ["x"], linked("0-0")),
        (["c"] * 20, ["z"], linked("3-0")),
    ]
    assert linked_examples(sentences) == {
        ("a", "x"): ("a c", "z x"),
        ("b", "y"): (" ".join(long[0]), "x y ."),
        ("c", "z"): (" ".join(["c"] * 20), "z"),
    }
