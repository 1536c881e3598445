"""Counting words: against one Counter over the whole text, however it is divided."""

import itertools
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crosslingua.corpora import counting
from crosslingua.corpora.counting import _count_range, count_words
from crosslingua.errors import InputError


@settings(deadline=None)
@given(st.lists(st.text("aé字 \n", max_size=30)).map("".join), st.integers(1, 9), st.integers(1, 40))
def test_every_division_counts_every_line_once(tmp_path_factory, text, pieces, block):
    path = tmp_path_factory.mktemp("text") / "text"
    path.write_bytes(text.encode())
    size = path.stat().st_size
    edges = [size * index // pieces for index in range(pieces + 1)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(counting, "BLOCK", block)
        parts = [_count_range(path, 0, span) for span in itertools.pairwise(edges)]
    assert sum(parts, Counter()) == Counter(text.split())


def test_processes(tmp_path):
    path = tmp_path / "text"
    path.write_text("\ufeffa b a\n" + "c ü\n" * 1000, encoding="utf-8")
    wanted = {"a": 2, "b": 1, "c": 1000, "ü": 1000}
    assert count_words(path) == count_words(path, threads=3) == wanted
    path.write_text("\ufeffa\nb", encoding="utf-8")
    assert count_words(path, threads=5) == {"a": 1, "b": 1}


@pytest.mark.parametrize("threads", [1, 2])
def test_errors(tmp_path, threads):
    path = tmp_path / "text"
    path.write_bytes(b"fine\n" * 50 + b"bad \xff\n" + b"fine\n" * 50)
    with pytest.raises(InputError, match=r"text:51: invalid UTF-8"):
        count_words(path, threads)
    path.write_text(" \n\n")
    with pytest.raises(InputError, match="no words"):
        count_words(path, threads)
    with pytest.raises(InputError, match="no such file"):
        count_words(tmp_path / "none", threads)
