"""Parallel files: equal lengths or an error with both counts."""

import gzip

import pytest

from crosslingua.errors import InputError
from crosslingua.io.bitext import read_bitext, write_bitext


def files(tmp_path, first, second):
    paths = tmp_path / "a.en", tmp_path / "a.de"
    for path, text in zip(paths, (first, second), strict=True):
        path.write_text(text, encoding="utf-8")
    return paths


def test_pairs_in_order_with_empty_sides(tmp_path):
    assert list(read_bitext(*files(tmp_path, "a\n\nc\n", "x\ny\nz"))) == [("a", "x"), ("", "y"), ("c", "z")]


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        ("a\nb\n", "x\ny\nz\nw\n", r"a\.en: has 2 lines, but .*a\.de has 4"),
        ("a\nb\nc\n", "x\n", r"a\.de: has 1 lines, but .*a\.en has 3"),
        ("", "x\n", r"a\.en: has 0 lines, but .*a\.de has 1"),
    ],
)
def test_unequal_lengths(tmp_path, first, second, message):
    with pytest.raises(InputError, match=message):
        list(read_bitext(*files(tmp_path, first, second)))


def test_written_files_read_back(tmp_path):
    pairs = [("ein Satz", "a sentence"), ("", "alone"), ("\u2028", "ß")]
    assert write_bitext(pairs, tmp_path / "b.de", tmp_path / "b.en") == 3
    assert list(read_bitext(tmp_path / "b.de", tmp_path / "b.en")) == pairs


def test_a_line_end_in_a_sentence_writes_nothing(tmp_path):
    with pytest.raises(InputError, match="line end inside"):
        write_bitext([("a", "b"), ("a\nb", "c")], tmp_path / "b.de", tmp_path / "b.en")
    assert list(tmp_path.iterdir()) == []


def test_compressed_and_truncated(tmp_path):
    _first, second = files(tmp_path, "a\n", "x\n")
    packed = tmp_path / "a.gz"
    packed.write_bytes(gzip.compress(b"word " * 999 + b"\n")[:-12])
    with pytest.raises(InputError, match=r"a\.gz: truncated or damaged"):
        list(read_bitext(packed, second))
