"""Decoding: line ends, byte-order marks, invalid bytes."""

import bz2
import gzip
import lzma
import os
from collections import Counter

import pytest

from crosslingua.errors import ConfigError, InputError
from crosslingua.io.decode import decoded_lines, known_lines


def lines(tmp_path, data, *arguments, **named):
    path = tmp_path / "text.txt"
    path.write_bytes(data)
    return list(decoded_lines(path, *arguments, **named))


def test_only_newlines_end_a_line(tmp_path):
    data = "\ufeffa\r\nb\u2028c\u0085d\x0be\n\n  f\rg".encode()
    assert lines(tmp_path, data) == ["a", "b\u2028c\u0085d\x0be", "", "  f\rg"]


def test_a_byte_order_mark_inside_is_kept_for_the_normaliser(tmp_path):
    assert lines(tmp_path, "a\n\ufeffb\n".encode()) == ["a", "\ufeffb"]


def test_invalid_bytes_name_file_line_and_remedy(tmp_path):
    with pytest.raises(InputError, match=r"text.txt:2: invalid UTF-8 .*at byte 1.*--errors replace"):
        lines(tmp_path, b"good\nb\xc3\n", counts=Counter())
    with pytest.raises(InputError, match=r"text.txt:2: invalid UTF-8 .*at byte 2"):
        lines(tmp_path, "good\nnaïve".encode("latin-1"))


def test_invalid_bytes_are_replaced_and_counted_by_choice(tmp_path):
    counts = Counter()
    data = b"a\xff\xfeb\nok\n" + "own \ufffd".encode() + b" \xe2\x82\n"
    assert lines(tmp_path, data, "replace", counts) == ["a\ufffd\ufffdb", "ok", "own \ufffd \ufffd"]
    assert counts == {"replaced_characters": 3}


def test_utf16_is_recognised(tmp_path):
    with pytest.raises(InputError, match="UTF-16, not UTF-8"):
        lines(tmp_path, "text\n".encode("utf-16"))


def test_a_remedy_that_the_caller_does_not_offer_is_not_named(tmp_path):
    with pytest.raises(InputError, match="iconv -f LATIN1 -t UTF-8") as told:
        lines(tmp_path, b"b\xc3\n")
    assert "--errors" not in str(told.value)


@pytest.mark.parametrize(("module", "suffix"), [(gzip, ".gz"), (bz2, ".bz2"), (lzma, ".xz")])
def test_a_compressed_file_by_another_name_is_recognised(tmp_path, module, suffix):
    with pytest.raises(InputError, match=rf"text.txt:1: compressed, .* \(call it text.txt{suffix}\)"):
        lines(tmp_path, module.compress(b"one\ntwo\n" * 50))


def test_a_misspelled_choice(tmp_path):
    with pytest.raises(ConfigError, match="say strict or replace"):
        lines(tmp_path, b"a", "ignore")


@pytest.mark.parametrize("content", [b"", b"a\nb\n", b"a\n\nb", b"\n", b"a\r\n"])
def test_lines_are_known_of_plain_files(tmp_path, content):
    path = tmp_path / "a.txt"
    path.write_bytes(content)
    assert known_lines(path) == len(list(decoded_lines(path)))


def test_lines_are_not_known_of_anything_else(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "a.gz").write_bytes(gzip.compress(b"a\n"))
    for name in ("pipe", "a.gz", "a.zip::a.txt", "missing"):
        assert known_lines(tmp_path / name) is None
