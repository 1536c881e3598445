"""Decoding: line ends, byte-order marks, invalid bytes."""

import bz2
import gzip
import lzma
import os
import tarfile
from collections import Counter

import pytest

from corpora.archives import tarred, zipped
from crosslingua.errors import ConfigError, InputError
from crosslingua.io.decode import (
    base_language,
    decoded_lines,
    known_lines,
    lowercase,
    members,
    open_source,
    tokens_of,
)
from texts import written


def lines(tmp_path, data, *arguments, **named):
    path = written(tmp_path / "text.txt", data)
    return list(decoded_lines(path, *arguments, **named))


def test_only_newlines_end_a_line_and_a_byte_order_mark_begins_none(tmp_path):
    data = "\ufeffa\r\nb\u2028c\u0085d\x0be\r\r\n\n\ufeffg\n  f\r\ufeffg".encode()
    assert lines(tmp_path, data) == ["a", "b\u2028c\u0085d\x0be", "", "g", "  f\r\ufeffg"]


@pytest.mark.parametrize("end", [b"", b"\r", b"\n"])
def test_carriage_returns_end_lines_where_nothing_else_does(tmp_path, end):
    path = written(tmp_path / "old", "é cat\rb\r\rd".encode() + end)
    assert list(decoded_lines(path)) == ["é cat", "b", "", "d"]
    assert known_lines(path) == 4
    path.write_bytes(b"a\rb\nc\r\nd\n")
    assert list(decoded_lines(path)) == ["a\rb", "c", "d"]


def test_only_ascii_spaces_separate_tokens():
    assert tokens_of("1\u00a0000 euros\tx  y ") == ["1\u00a0000", "euros\tx", "y"]
    assert tokens_of("") == tokens_of(" ") == []


CODES = {"de": "de deu", "zh": "zh-TW zh_Hant yue cmn", "hsb": "hsb"}


@pytest.mark.parametrize("language", CODES)
def test_codes_of_languages_in_all_forms(language):
    assert {base_language(code) for code in CODES[language].split()} == {language}


def test_lower_case_by_language():
    assert [lowercase("ILIK İYİ", code) for code in ("tr", "tur", "az", "en")] == [
        "ılık iyi", "ılık iyi", "ılık iyi", "ilik i̇yi̇",
    ]  # fmt: skip
    assert (lowercase("ΟΔΟΣ", "el"), lowercase("STRASSE Straße", "de")) == ("οδος", "strasse straße")


def test_invalid_bytes_name_file_line_and_remedy_unless_the_caller_offers_none(tmp_path):
    with pytest.raises(InputError, match=r"text.txt:2: invalid UTF-8 .*at byte 1.*--errors replace"):
        lines(tmp_path, b"good\nb\xc3\n", counts=Counter())
    with pytest.raises(InputError, match=r"text.txt:2: invalid UTF-8 .*at byte 2"):
        lines(tmp_path, "good\nnaïve".encode("latin-1"))
    with pytest.raises(InputError, match="iconv -f LATIN1 -t UTF-8") as told:
        lines(tmp_path, b"b\xc3\n")
    assert "--errors" not in str(told.value)
    with pytest.raises(InputError, match="UTF-16, not UTF-8"):
        lines(tmp_path, "text\n".encode("utf-16"))


def test_invalid_bytes_are_replaced_and_counted_by_choice(tmp_path):
    counts = Counter()
    data = b"a\xff\xfeb\nok\n" + "own \ufffd".encode() + b" \xe2\x82\n"
    assert lines(tmp_path, data, "replace", counts) == ["a\ufffd\ufffdb", "ok", "own \ufffd \ufffd"]
    assert counts == {"replaced_characters": 3}
    with pytest.raises(ConfigError, match="say strict or replace"):
        lines(tmp_path, b"a", "ignore")


TEXT = "one\ntwo\n" * 1000


@pytest.mark.parametrize(("module", "suffix"), [(gzip, ".gz"), (bz2, ".bz2"), (lzma, ".xz")])
def test_compressed_files(tmp_path, module, suffix):
    path = tmp_path / f"a{suffix}"
    packed = module.compress(TEXT.encode())
    path.write_bytes(packed)
    with open_source(path) as stream:
        assert stream.read() == TEXT.encode()
    path.write_bytes(packed[:-20])
    with pytest.raises(InputError, match=rf"a{suffix}: truncated or damaged"), open_source(path) as stream:
        stream.read()
    with pytest.raises(InputError, match=rf"text.txt:1: compressed, .* \(call it text.txt{suffix}\)"):
        lines(tmp_path, packed)


@pytest.mark.parametrize("content", [b"", b"a\nb\n", b"a\n\nb", b"\n", b"a\r\n"])
def test_lines_are_known_of_plain_files(tmp_path, content):
    path = written(tmp_path / "a.txt", content)
    assert known_lines(path) == len(list(decoded_lines(path)))


def test_lines_are_not_known_of_anything_else(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "a.gz").write_bytes(gzip.compress(b"a\n"))
    for name in ("pipe", "a.gz", "a.zip::a.txt", "missing"):
        assert known_lines(tmp_path / name) is None


# Archives: members as streams, damage and escapes as clear errors.


@pytest.mark.parametrize(("name", "make"), [("a.zip", zipped), ("a.tar.gz", tarred), ("a.tgz", tarred)])
def test_a_member_is_read_as_a_stream_unless_its_archive_is_damaged(tmp_path, name, make):
    archive = make(tmp_path / name, {"in/a.txt": TEXT, "b.txt": "x"})
    assert members(archive) == ["in/a.txt", "b.txt"]
    with open_source(f"{archive}::in/a.txt") as stream:
        assert stream.read() == TEXT.encode()
    missing = r"has no member 'a.txt': it holds in/a.txt, b.txt"
    with pytest.raises(InputError, match=missing), open_source(f"{archive}::a.txt"):
        pass
    for content in ((tmp_path / name).read_bytes()[:-60], b"<html>not found</html>"):
        written(tmp_path / name, content)
        damaged = pytest.raises(InputError, match=r"(?s)truncated or damaged.*fetch it again")
        with damaged, open_source(f"{archive}::in/a.txt") as stream:
            stream.read()
    with pytest.raises(InputError, match="truncated or damaged"):
        members(archive)


@pytest.mark.parametrize(
    ("name", "message"),
    [("/none.txt", "no such file"), ("/none.zip::a", "no such file"), ("", "is a folder")],
)
def test_missing_file_and_folder(tmp_path, name, message):
    with pytest.raises(InputError, match=message), open_source(f"{tmp_path}{name}"):
        pass


def test_a_link_is_not_read_as_a_member(tmp_path):
    entry = tarfile.TarInfo("way")
    entry.type, entry.linkname = tarfile.SYMTYPE, "/etc/passwd"
    with tarfile.open(tmp_path / "a.tar", "w") as bundle:
        bundle.addfile(entry)
    with pytest.raises(InputError, match="no member 'way'"), open_source(f"{tmp_path}/a.tar::way"):
        pass
