"""What files are by their first bytes: read, or refused by name, whatever the files are called."""

import gzip
import lzma
import os
import subprocess
import tarfile
from collections import Counter
from pathlib import Path

import pytest

from corpora.archives import tarred, zipped
from crosslingua.errors import InputError
from crosslingua.io import decode
from crosslingua.io.decode import decode_entities, decoded_lines, open_source, text_lines, tokenised_lines
from texts import written

ZSTD = b"(\xb5/\xfd$$!\x01\x00the cat sat\nthe dog ran\na bird flew\nB\xf7e\xb5"


@pytest.mark.parametrize("name", ["a.txt", "a.txt.gz", "a.zst"])
def test_zstd_is_read_whatever_the_name_and_a_cut_file_is_damaged(tmp_path, name):
    path = written(tmp_path / name, ZSTD)
    assert list(decoded_lines(path)) == ["the cat sat", "the dog ran", "a bird flew"]
    written(path, ZSTD[:-9])
    with pytest.raises(InputError, match=rf"{name}: .*(truncated|damaged)"):
        list(decoded_lines(path))


def test_an_archive_is_no_text_and_its_members_are_named(tmp_path):
    members = {"__MACOSX/._a": "x", "in/a.txt": "one\n", "b.txt": "two\n"}
    paths = [tarred(tmp_path / "a.tar.gz", members), zipped(tmp_path / "a.txt", members)]
    with gzip.open(paths[0]) as packed:
        paths.append(str(written(tmp_path / "plain", packed.read())))
    for path in paths:
        with pytest.raises(InputError) as told:
            list(decoded_lines(path))
        assert str(told.value) == (
            f"{path}: an archive: say {path}::in/a.txt; it holds __MACOSX/._a, in/a.txt, b.txt"
        )
        assert list(decoded_lines(f"{path}::b.txt")) == ["two"]
        assert list(decoded_lines(f"{path}::in/a.txt")) == ["one"]
    nested = zipped(tmp_path / "outer.zip", {"inner": "x"})
    with tarfile.open(tmp_path / "outer.tar", "w") as bundle:
        bundle.add(nested, "inner.zip")
    with pytest.raises(InputError, match=r"inner\.zip: an archive in a pipe or in another archive"):
        list(decoded_lines(f"{tmp_path}/outer.tar::inner.zip"))


def test_members_that_cannot_be_read_and_files_that_are_no_archive_are_told(tmp_path):
    packed = bytearray(Path(zipped(tmp_path / "a.zip", {"a.txt": "one\n"})).read_bytes())
    headers = 6, packed.find(b"PK\1\2") + 8  # of the file, and of the list of files: flags, then method
    for offset, value, told in ((0, 1, "encrypted"), (2, 99, "compression method")):
        other = packed.copy()
        for header in headers:
            other[header + offset] = value
        path = written(tmp_path / "b.zip", bytes(other))
        with pytest.raises(InputError, match=rf"b\.zip: cannot be unpacked: .*{told}.*unpack it: 7z x"):
            list(decoded_lines(f"{path}::a.txt"))
    path = written(tmp_path / "a.txt", "one\n")
    with pytest.raises(InputError, match=r"a\.txt: is no archive, or .*none without ::") as error:
        list(decoded_lines(f"{path}::a"))
    assert "\n" not in str(error.value)
    book = zipped(tmp_path / "a.txt", {"mimetype": "application/epub+zip", "a.html": ""})
    with pytest.raises(InputError, match="is a document of an office program"):
        list(decoded_lines(book))


def test_other_forms_of_xz_and_zstd_are_read(tmp_path):
    for raw in (lzma.compress(b"one\n", lzma.FORMAT_ALONE), b"\x50\x2a\x4d\x18\2\0\0\0ab" + ZSTD):
        assert next(decoded_lines(written(tmp_path / "a", raw))) in ("one", "the cat sat")


def test_a_compressed_member_is_unpacked(tmp_path):
    with tarfile.open(tmp_path / "a.tar", "w") as bundle:
        bundle.add(written(tmp_path / "a.gz", gzip.compress(b"one\n")), "a.txt")
    assert list(decoded_lines(f"{tmp_path}/a.tar::a.txt")) == ["one"]


REFUSED = {
    b"%PDF-1.7\n": "is a PDF document .save it as plain text",
    b"7z\xbc\xaf\x27\x1c\0\4": "is a 7z archive .unpack it: 7z x",
    b"PK\3\4 a damaged file": "truncated or damaged",
    b'<?xml version="1.0"?>\n<tmx version="1.4">\n': "is TMX, not plain text .*--format tmx",
    b"<tmx>\n": "is TMX",
    b"<?xml version='1.0'?>\n<TEI>\n": "is XML",
    b"\n<!doctype HTML>\n": "is HTML",
    b"<html lang=de><p>a</p>\n": "is HTML",
    b'{"text": "a b"}\n': "is JSON, not plain text .*jq",
    b'{"text": "a b"}\n{"text": "c"}\n': "is JSON lines",
    b'[\n {"text": "a b"},\n {"text": "c"}\n]\n': "is JSON",
    b'["a b", "c d"]\n': "is JSON",
    b'id,text\n1,"the cat, sat"\n2,dog\n': "is CSV, a table with ','",
    b'1;"the cat; sat"\n2;dog\n': "is CSV, a table with ';'",
    b"0\tI am .\n\n1\tYou are .\n": "every line has a tab: .* prepare-text --column 2",
    b"# id = 1\n1\tthe\tDET\n2\tcat\tNOUN\n\n": "every line has a tab",
    b"id|text\n1|the cat\n2|the dog\n": "is CSV, a table with '.'",
    b'"1","the cat"\n"2","the dog"\n': "is CSV",
    b"1,the cat\n2,the dog\n": "is CSV",
    b"{'text': 'a b'}\n": "is JSON",
    b'<DOC id="1">\n<p>the cat</p>\n<p>\n': "is markup, not plain text .take the text out",
    b"<p>the cat</p>\n\n<p>the dog</p>\n": "is markup",
    b'<mediawiki xmlns="x">\n <page>\n': "is markup",
    b"1\n00:00:01,000 --> 00:00:02,000\nthe cat\n": "is subtitles",
    b"WEBVTT\n\n00:01.000 --> 00:04.000\nthe cat\n": "is subtitles",
    b'# made by x\nmsgid "the cat"\nmsgstr "x"\n': "is messages in gettext's format, .*po2txt",
    b"% a paper\n\\documentclass{article}\n": "is LaTeX",
    b"version https://git-lfs.github.com/spec/v1\noid x\n": "is a pointer of Git LFS.* git lfs pull",
    b"2 2\nthe 1.0 -2e-05\ncat 0.1 0.2\n": "is a table of numbers",
    b"0-0 1-2\n0-0 1p1 2-2\n": "is a table of numbers",
    "café naïve\nthe cat\nüber\n".encode().decode("latin1").encode(): "encoded a second time, .*-t LATIN1",
    "“a café\n„b“\n".encode().decode("cp1252").encode(): "-t WINDOWS-1252",
    "the cat sat\n".encode("utf-16"): "UTF-16, not UTF-8 .*iconv -f UTF-16 ",
    "the cat sat\n".encode("utf-32"): "UTF-32, not UTF-8 .*iconv -f UTF-32 ",
    "the cat sat\n".encode("utf-16-le"): "is a binary file, no text in UTF-8: 12 of .*UTF-16LE",
    b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0": "is a binary file",
    b"GGUF\3\0\0\0\1\0\0\0": "is a binary file",
    b"\xef\xbb\xbf{\\rtf1 a}": "is an RTF document",
    b"%!PS-Adobe-3.0\n": "is a PostScript document",
    b"0707010000A1\n": "is a cpio archive .unpack it: cpio -i",
    b"404: Not Found\n": "is an error message of a server.*fetch the file",
    b"EU NNP B-NP B-ORG\nrejects VBZ B-VP O\n\n": "is tagged words.*sentence in one line",
}


@pytest.mark.parametrize("raw", REFUSED)
def test_what_is_no_text_is_named(tmp_path, raw):
    for path in (written(tmp_path / "a.txt", raw), written(tmp_path / "b", gzip.compress(raw))):
        with pytest.raises(InputError, match=REFUSED[raw]):
            list(text_lines(path))
    named = written(tmp_path / "a.docx", b"PK\3\4 anything")
    with pytest.raises(
        InputError, match=r"a\.docx: is a document of an office program .save it as plain text"
    ):
        list(text_lines(named))


@pytest.mark.parametrize(
    "text",
    [
        "[ Music ]\n[1]\n", "{ a set }\n", "Yes, we can\nNo, you can't\n", "Yes,no\nwell\n",
        "<unk> is a token\n", '"Hello," he said, "you."\n"Well," she said, "me."\n', "a\tb\nc\n", "a\tb\n",
        '["I see,"\nhe said ]\n', "<mask>\n", "one;two\nthree\n", "<s> the cat </s>\n<s> a dog </s>\n", "1\n2\n",
        "a B-52\nan O !\n",
        "<i>Well</i>\nthe cat\n", "1,000 cats\n2,000 dogs\n", "chapter 1 2\nthe cat\n", "café\nnaïve Ã\n", "a\0b\n",
    ],
)  # fmt: skip
def test_sentences_are_text(tmp_path, text):
    assert list(text_lines(written(tmp_path / "a.csv", text))) == text.split("\n")[:-1]


def test_a_pipe_is_read_once_and_refused_where_it_is_read_twice(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for raw in (b"one\ntwo\n" * 500, gzip.compress(b"one\ntwo\n" * 500), b"x"):
        pipe = tmp_path / f"pipe{len(raw)}"
        os.mkfifo(pipe)
        written(tmp_path / "raw", raw)
        with subprocess.Popen(["sh", "-c", f"cat {tmp_path}/raw > {pipe}"]):
            assert list(decoded_lines(pipe)) == (["one", "two"] * 500 if len(raw) > 1 else ["x"])
        with pytest.raises(InputError, match=r"is a pipe, and is read twice"):
            next(decoded_lines(pipe))
    tarred(tmp_path / "raw", {"a": "x"})
    with (
        subprocess.Popen(["sh", "-c", f"cat {tmp_path}/raw > {tmp_path}/pipe"]),
        pytest.raises(InputError, match="pipe: an archive in a pipe"),
        open_source(tmp_path / "pipe"),
    ):
        pass
    with pytest.raises(InputError, match=r"is a pipe, and is read twice .write what it gives into a file"):
        decode.once_more(tmp_path / "pipe")
    decode.once_more(tmp_path / "raw")


def test_a_tab_in_tokenised_text_is_refused_and_wide_spaces_are_told(tmp_path, caplog):
    path = written(tmp_path / "a.txt", "one two\nthree\tfour\n")
    with pytest.raises(InputError, match=r"a.txt:2: a tab in a line of tokens: 'three.tfour'"):
        list(tokenised_lines(path))
    path = written(tmp_path / "b.txt", "猫\u3000犬\nx\n鳥\u3000魚\n")
    assert list(tokenised_lines(path)) == ["猫\u3000犬", "x", "鳥\u3000魚"]
    assert "b.txt: U+3000, the wide space, stands inside tokens 2 times" in caplog.text


@pytest.mark.parametrize(
    ("text", "wanted", "number"),
    [
        ("don&apos;t &quot;x&quot;", 'don\'t "x"', 3), ("&#91; live &#x5D;", "[ live ]", 2),
        ("&amp;amp; &amp;nbsp;|&amp;#124;", "& \u00a0||", 3), ("a &lt; b", "a < b", 1),
        ("AT&T; R&D &foo; & co", "AT&T; R&D &foo; & co", 0), ("&amp;foo;", "&foo;", 1), ("&copy 2", "&copy 2", 0),
    ],
)  # fmt: skip
def test_entities_are_decoded_and_counted(text, wanted, number):
    counts = Counter()
    assert decode_entities(text, counts) == wanted
    assert counts["decoded_entities"] == number
    assert decode_entities(wanted) == wanted
