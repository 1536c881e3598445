"""Counting words: against one Counter over the whole text, however it is divided."""

import gzip
import itertools
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crosslingua.corpora import counting
from crosslingua.corpora.counting import _count_range, count_words, coverage
from crosslingua.errors import InputError
from texts import written


@settings(deadline=None)
@given(st.lists(st.text("aé字 \n", max_size=30)).map("".join), st.integers(1, 9), st.integers(1, 40))
def test_every_division_counts_every_line_once(tmp_path_factory, text, pieces, block):
    path = written(tmp_path_factory.mktemp("text") / "text", text.encode())
    size = path.stat().st_size
    edges = [size * index // pieces for index in range(pieces + 1)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(counting, "BLOCK", block)
        parts = [_count_range(path, 0, span) for span in itertools.pairwise(edges)]
    assert sum(parts, Counter()) == Counter(text.split())


def test_processes(tmp_path):
    path = written(tmp_path / "text", "\ufeffa b a\n" + "c ü\n" * 1000)
    wanted = {"a": 2, "b": 1, "c": 1000, "ü": 1000}
    assert count_words(path) == count_words(path, threads=3) == wanted
    assert count_words(written(path, "\ufeffa\nb"), threads=5) == {"a": 1, "b": 1}


@pytest.mark.parametrize("text", ["a b\rc\ra\r", "a b\r\r\nc\r\r\na\r\r\n", "a b\n\ufeffc\na\n"])
def test_line_ends_and_byte_order_marks_are_in_no_word(tmp_path, text):
    for path in (written(tmp_path / "text", text), written(tmp_path / "a.gz", gzip.compress(text.encode()))):
        assert count_words(path, threads=2) == {"a": 2, "b": 1, "c": 1}


@pytest.mark.parametrize("threads", [1, 2])
def test_errors(tmp_path, threads):
    for text, message in (
        (b"fine\n" * 50 + b"bad \xff\n" + b"fine\n" * 50, "text:51: invalid UTF-8"),
        (" \n\n", "no words"),
        ("a\tb c\n", r"'a\\tb' has a tab"),
    ):
        with pytest.raises(InputError, match=message):
            count_words(written(tmp_path / "text", text), threads)
    with pytest.raises(InputError, match="no such file"):
        count_words(tmp_path / "none", threads)


# Coverage of a dictionary, by hand.


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
    with pytest.raises(ValueError, match="without pairs"):
        coverage([], SOURCE, TARGET, least)
