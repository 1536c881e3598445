"""The distance of languages on pairs whose numbers are known."""

from collections import Counter

import numpy as np
import pytest

from crosslingua.errors import ConfigError
from crosslingua.report.language_distance import crossings, ldnd, levenshtein, measure, translations


def test_levenshtein() -> None:
    pairs = [("kitten", "sitting"), ("flaw", "lawn"), ("", "abc"), ("same", "same"), ("дом", "dom")]
    assert [levenshtein(first, second) for first, second in pairs] == [3, 2, 3, 0, 3]
    assert [levenshtein(second, first) for first, second in pairs] == [3, 2, 3, 0, 3]


def test_ldnd_by_hand() -> None:
    """Translations: 0 and 1/3 apart. Others: cat-dig 3/3, dog-cat 3/3."""
    assert ldnd([("cat", "cat"), ("dog", "dig")]) == pytest.approx(100 * (1 / 6) / 1)
    assert ldnd([("ab", "αβ"), ("cd", "γδ"), ("ef", "εζ")]) == 100


def test_crossings_by_hand() -> None:
    assert crossings(np.array([[0, 0], [1, 2], [2, 1]])) == (1, 3)
    assert crossings(np.array([[0, 2], [1, 1], [2, 0]])) == (3, 3)
    # links of one word neither cross nor follow
    assert crossings(np.array([[0, 0], [0, 1], [1, 1]])) == (0, 1)
    assert crossings(np.empty((0, 2), dtype=int)) == (0, 0)


def test_the_most_frequent_link_of_a_word_is_its_translation() -> None:
    counts = {"a": Counter({"x": 3, "y": 9}), "b": Counter({"z": 5}), "c": Counter({"w": 2})}
    assert translations(counts) == [("a", "y"), ("b", "z")]


def test_a_language_is_at_no_distance_from_itself() -> None:
    text = [["the", "cat", "sat"]] * 5
    links = [np.array([[0, 0], [1, 1], [2, 2]])] * 5
    found = measure(zip(text, text, strict=True), links)
    assert (found["lexical"], found["order"], found["distance"]) == (0, 0, 0)
    other, links = [["θ", "κ", "σ"]] * 5, [np.array([[0, 2], [1, 1], [2, 0]])] * 5
    mirrored = measure(zip(text, other, strict=True), links)
    assert (mirrored["order"], mirrored["distance"]) == (100, 100)


def test_too_little_text_is_refused() -> None:
    with pytest.raises(ConfigError, match="too few"):
        measure([(["a"], ["b"])], [np.array([[0, 0]])])
