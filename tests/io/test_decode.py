"""Decoding: line ends, byte-order marks, invalid bytes."""

import bz2
import gzip
import io
import lzma
import os
import tarfile
import zipfile
from collections import Counter

import pytest

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


def test_invalid_bytes_are_replaced_and_counted_by_choice(tmp_path):
    counts = Counter()
    data = b"a\xff\xfeb\nok\n" + "own \ufffd".encode() + b" \xe2\x82\n"
    assert lines(tmp_path, data, "replace", counts) == ["a\ufffd\ufffdb", "ok", "own \ufffd \ufffd"]
    assert counts == {"replaced_characters": 3}
    with pytest.raises(ConfigError, match="say strict or replace"):
        lines(tmp_path, b"a", "ignore")


def test_utf16_is_recognised(tmp_path):
    with pytest.raises(InputError, match="UTF-16, not UTF-8"):
        lines(tmp_path, "text\n".encode("utf-16"))


@pytest.mark.parametrize(("module", "suffix"), [(gzip, ".gz"), (bz2, ".bz2"), (lzma, ".xz")])
def test_a_compressed_file_by_another_name_is_recognised(tmp_path, module, suffix):
    with pytest.raises(InputError, match=rf"text.txt:1: compressed, .* \(call it text.txt{suffix}\)"):
        lines(tmp_path, module.compress(b"one\ntwo\n" * 50))


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


TEXT = b"one\ntwo\n" * 1000


def make_zip(path, entries):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as bundle:
        for name, data in entries:
            bundle.writestr(name, data)
    return path


def make_tar(path, entries):
    with tarfile.open(path, "w:gz") as bundle:
        for name, data in entries:
            entry = name if isinstance(name, tarfile.TarInfo) else tarfile.TarInfo(name)
            entry.size = len(data)
            bundle.addfile(entry, io.BytesIO(data))
    return path


MAKERS = {"a.zip": make_zip, "a.tar.gz": make_tar, "a.tgz": make_tar}


@pytest.mark.parametrize("name", MAKERS)
def test_a_member_is_read_as_a_stream(tmp_path, name):
    archive = MAKERS[name](tmp_path / name, [("in/a.txt", TEXT), ("b.txt", b"x")])
    assert members(archive) == ["in/a.txt", "b.txt"]
    with open_source(f"{archive}::in/a.txt") as stream:
        assert stream.read() == TEXT
    missing = r"has no member 'a.txt': it holds in/a.txt, b.txt"
    with pytest.raises(InputError, match=missing), open_source(f"{archive}::a.txt"):
        pass


@pytest.mark.parametrize(("suffix", "opener"), [("gz", gzip.open), ("bz2", bz2.open), ("xz", lzma.open)])
def test_compressed_files(tmp_path, suffix, opener):
    path = tmp_path / f"a.{suffix}"
    with opener(path, "wb") as stream:
        stream.write(TEXT)
    with open_source(path) as stream:
        assert stream.read() == TEXT
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(InputError, match=rf"a.{suffix}: truncated or damaged"), open_source(path) as stream:
        stream.read()


@pytest.mark.parametrize("name", MAKERS)
def test_truncated_archives(tmp_path, name):
    path = MAKERS[name](tmp_path / name, [("a.txt", bytes(range(256)) * 99)])
    path.write_bytes(path.read_bytes()[:-60])
    damaged = pytest.raises(InputError, match=r"truncated or damaged.*fetch it again")
    with damaged, open_source(f"{path}::a.txt") as stream:
        stream.read()
    path.write_bytes(b"<html>not found</html>")
    with pytest.raises(InputError, match="truncated or damaged"):
        members(path)


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
    archive = make_tar(tmp_path / "a.tar.gz", [(entry, b"")])
    with pytest.raises(InputError, match="no member 'way'"), open_source(f"{archive}::way"):
        pass
