"""Coverage of a dictionary, by hand."""

import pytest

from crosslingua.corpora.counting import coverage

PAIRS = [("cat", "katze"), ("cat", "kater"), ("dog", "hund"), ("emu", "emu"), ("owl", "eule")]
SOURCE = {"cat": 9, "dog": 3, "emu": 1, "the": 50}
TARGET = {"kater": 5, "hund": 2, "emu": 7, "eule": 8}


@pytest.mark.parametrize(
    ("least", "known", "covered", "source_words", "target_words"),
    [(1, 3, 3, 4, 4), (2, 2, 2, 3, 4), (3, 2, 1, 3, 3), (10, 0, 0, 1, 0)],
)
def test_a_query_is_covered_with_one_of_its_translations(least, known, covered, source_words, target_words):
    found = coverage(PAIRS, SOURCE, TARGET, least)
    assert found == (4, known, covered, source_words, target_words)
    assert found.percent == 25 * covered


def test_no_pairs():
    with pytest.raises(ValueError, match="without pairs"):
        coverage([], SOURCE, TARGET, 1)
