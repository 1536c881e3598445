"""What files are by their first bytes: read, or refused by name, whatever the files are called."""

import gzip
import os
import subprocess
import tarfile
from collections import Counter

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
        '["I see,"\nhe said ]\n', "<mask>\n", "one;two\nthree\n",
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
