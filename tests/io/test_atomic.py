"""Files are written whole or not at all; YAML and JSON errors in one line; decoding of bytes."""

import bz2
import copy
import errno
import gzip
import lzma
import os
import pickle
import tarfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from threading import Thread

import pytest
import torch
from safetensors.torch import save_file
from tokenizers import Tokenizer
from tokenizers.models import WordLevel

from corpora.archives import tarred, zipped
from crosslingua.errors import ConfigError, InputError
from crosslingua.io import decode
from crosslingua.io.atomic import atomic_folder, atomic_open, atomic_path, check_output_folder, file_name
from crosslingua.io.decode import decoded_lines, known_lines, open_source
from crosslingua.io.json import read_json, read_yaml
from crosslingua.nn.checkpoint import Checkpoints
from texts import written


def test_an_error_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    target = written(tmp_path / "out.txt", "old")
    with pytest.raises(KeyError), atomic_open(target) as stream:
        stream.write("half")
        raise KeyError
    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]


def test_the_file_appears_only_when_whole_and_with_its_folders(tmp_path: Path) -> None:
    target = tmp_path / "new" / "folder" / "out.tsv"
    with atomic_path(target) as temporary:
        temporary.write_text("whole")
        assert temporary.suffix == ".tsv"
        assert not target.exists()
    assert target.read_text() == "whole"
    assert target.stat().st_mode & 0o444 == 0o444


TENSOR = torch.zeros(100_000)


def save_tokenizer(folder: Path) -> None:
    words = {f"word{number}": number for number in range(20_000)}
    Tokenizer(WordLevel(words, "word0")).save(str(folder / "tokenizer.json"))


def save_weights(folder: Path) -> None:
    save_file({"weights": TENSOR}, folder / "model.safetensors")


@pytest.mark.parametrize("save", [save_tokenizer, save_weights])
def test_a_library_that_finds_no_room_names_the_folder(
    tmp_path: Path, little_room: Callable[[int], None], save: Callable[[Path], None]
) -> None:
    out = tmp_path / "encoder"
    with pytest.raises(OSError, match="File too large") as told, atomic_folder(out) as made:
        save(made)
    assert (told.value.errno, told.value.filename) == (errno.EFBIG, str(out))
    assert not [*tmp_path.iterdir()]


def test_a_checkpoint_that_finds_no_room_names_its_file(
    tmp_path: Path, little_room: Callable[[int], None]
) -> None:
    checkpoints = Checkpoints(tmp_path / "encoder", "run")
    with pytest.raises(OSError, match="File too large") as told:
        checkpoints.save({"weights": TENSOR})
    assert told.value.filename == str(checkpoints.path)


def test_an_output_that_cannot_be_begun_is_named() -> None:
    with pytest.raises(OSError, match=r"'/proc/out.txt'"), atomic_open("/proc/out.txt"):
        pass


def test_links_pipes_and_devices_stay_what_they_are(tmp_path: Path) -> None:
    far, link, pipe = written(tmp_path / "far/real.txt", ""), tmp_path / "link.txt", tmp_path / "pipe"
    link.symlink_to("far/real.txt")
    with atomic_open(link) as stream:
        stream.write("through")
    assert link.is_symlink()
    assert far.read_text() == "through"
    os.mkfifo(pipe)
    read: list[str] = []
    reader = Thread(target=lambda: read.append(pipe.read_text()))
    reader.start()
    with atomic_open(pipe) as stream:
        stream.write("through")
    reader.join()
    assert read == ["through"]
    assert pipe.is_fifo()
    with atomic_open("/dev/null") as stream:
        stream.write("gone")
    assert Path("/dev/null").is_char_device()


def test_what_a_killed_run_left_is_removed_and_what_another_writes_is_not(tmp_path: Path) -> None:
    target, dead = tmp_path / "text.txt", tmp_path / ".text.txt.abcdefgh.txt"
    others = [tmp_path / ".text.txt", tmp_path / ".text.txt.orig", tmp_path / ".text.txt.notes.txt"]
    for path in (dead, *others):
        path.touch()
    with atomic_path(target) as first:
        with atomic_path(target):
            pass
        assert first.exists()
        assert not dead.exists()
    assert sorted(tmp_path.iterdir()) == sorted([target, *others])


def test_a_folder_is_replaced_as_one(tmp_path: Path) -> None:
    target = written(tmp_path / "model" / "stale", "").parent
    with pytest.raises(KeyError), atomic_folder(target, ["stale"]) as temporary:
        (temporary / "half").touch()
        raise KeyError
    assert [path.name for path in target.iterdir()] == ["stale"]
    with atomic_folder(target, ["stale"]) as temporary:
        (temporary / "fresh").touch()
    assert [path.name for path in target.iterdir()] == ["fresh"]
    assert list(tmp_path.iterdir()) == [target]


def test_a_folder_that_holds_what_the_new_one_lacks_stays(tmp_path: Path) -> None:
    target = written(tmp_path / "model" / "thesis.txt", "").parent
    refused = pytest.raises(ConfigError, match=r"holds thesis.txt.*would be lost")
    with refused, atomic_folder(target) as temporary:
        (temporary / "weights[1]").touch()
    assert [path.name for path in target.iterdir()] == ["thesis.txt"]
    (target / "thesis.txt").rename(target / "weights[1]")
    with atomic_folder(target) as temporary:
        (temporary / "weights[1]").write_text("new")
    assert (target / "weights[1]").read_text() == "new"
    assert list(tmp_path.iterdir()) == [target]


def test_a_link_to_a_folder_stays_a_link(tmp_path: Path) -> None:
    disk, model = tmp_path / "disk", tmp_path / "model"
    disk.mkdir()
    model.symlink_to(disk)
    with atomic_folder(model) as temporary:
        (temporary / "fresh").touch()
    assert model.is_symlink()
    assert [path.name for path in disk.iterdir()] == ["fresh"]


def test_the_old_folder_comes_back_if_the_new_one_cannot_take_its_place(tmp_path: Path, monkeypatch) -> None:
    target, replace = written(tmp_path / "model" / "old", "").parent, Path.replace

    def fails(self: Path, to: Path) -> Path:
        if (self / "new").exists():
            raise OSError("disk full")
        return replace(self, to)

    monkeypatch.setattr(Path, "replace", fails)
    with pytest.raises(OSError, match="disk full"), atomic_folder(target, ["old"]) as temporary:
        (temporary / "new").touch()
    assert [path.name for path in target.iterdir()] == ["old"]
    assert list(tmp_path.iterdir()) == [target]


def test_leftovers_of_killed_runs_go_but_not_those_of_living_ones(tmp_path: Path) -> None:
    dead, other = tmp_path / ".model.abc_1234", tmp_path / ".model.old.abc_1234"
    written(dead / "half", "")
    written(other / "half", "")
    with atomic_folder(tmp_path / "model") as living:
        with atomic_folder(tmp_path / "model"):
            pass
        assert (dead.exists(), living.is_dir(), other.is_dir()) == (False, True, True)


@pytest.mark.parametrize("name", [".", "..", "/", "", "../home/.", "../../home"])
def test_the_working_folder_and_those_above_are_refused(tmp_path: Path, monkeypatch, name: str) -> None:
    (tmp_path / "home" / "inside").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "home" if name != "../../home" else tmp_path / "home" / "inside")
    with pytest.raises(ConfigError, match="working folder"):
        check_output_folder(name, ["*"])


def test_a_folder_of_other_files_is_refused_and_one_named(tmp_path: Path) -> None:
    for name in ("config.json", "en.conll", "notes.txt", ".snakemake_timestamp"):
        (tmp_path / name).touch()
    with pytest.raises(ConfigError, match=r"holds notes.txt.*name another folder"):
        check_output_folder(tmp_path, ["config.json", "*.conll"])
    check_output_folder(tmp_path, ["config.json", "*.conll", "notes.txt"])
    check_output_folder(tmp_path / "deep" / "out", [])
    assert not (tmp_path / "deep").exists()


def test_what_cannot_be_a_folder_is_refused(tmp_path: Path) -> None:
    path, inside = written(tmp_path / "file", ""), "no folder can be made in it"
    for out, message in ((path, "file: is a file"), (path / "deep/out", inside), ("/proc/out", "/proc")):
        with pytest.raises(ConfigError, match=message):
            check_output_folder(out, ["*"])


@pytest.mark.parametrize("name", ["", ".", "..", ".x", "../x", "a/b", "a\\b", "a\nb", "a\0b", "x" * 151])
def test_a_name_that_leads_to_another_folder_is_refused(name: str) -> None:
    message = r"^--test: .* can't be the name of a file: write up to 150 letters"
    with pytest.raises(ConfigError, match=message):
        file_name(name, "--test")
    assert [file_name(good, "") for good in ("en", "zh-TW", "é b.c")] == ["en", "zh-TW", "é b.c"]


def test_a_mapping_is_read_with_aliases_and_nothing_is_an_empty_one(tmp_path: Path) -> None:
    path = written(tmp_path / "some.yaml", "\ufeffname: é\r\ntext: |\r\n  a\r\n".encode())
    assert read_yaml(path) == {"name": "é", "text": "a\n"}
    path.write_text("# a comment\n")
    assert read_yaml(path) == {}
    path = written(tmp_path / "some.yaml", "a: &a {x: 1, y: 2}\nb: {<<: *a, y: 3}\n")
    assert read_yaml(path) == {"a": {"x": 1, "y": 2}, "b": {"x": 1, "y": 3}}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"a: 1\nb: [1,\nc: 2\n", r"some\.yaml:4: not YAML: "),
        (b"a: 1\na: \x07\n", r"some\.yaml:2: not YAML: unacceptable character #x0007.*allowed .write `name"),
        (b"a: !!set {b}\n", r"some\.yaml:1: not YAML: could not .* tag 'tag:yaml.org,2002:set' .write"),
        (b"a: !!binary aGk=\n", r"some\.yaml:1: not YAML: could not .*binary'"),
        (b"a: 1\nb: {c: 1,\n  c: 2}\n", r"some\.yaml:3: not YAML: the key 'c' stands in line 2 too"),
        (b"a: &a [*a]\n", r"some\.yaml:1: not YAML: its aliases make more than 1,000,000 values"),
        (
            b"a0: &a0 [1, 1]\n"
            + b"".join(b"a%d: &a%d [*a%d, *a%d]\n" % (i, i, i - 1, i - 1) for i in range(1, 40)),
            r"some\.yaml:1: not YAML: its aliases make more than 1,000,000 values",
        ),
        (b"[" * 20000, r"some\.yaml: nested too deeply"),
        (b"a: " + b"[" * 40000 + b"]" * 40000, r"some\.yaml: nested too deeply"),
        (b"a: " + b"1" * 5000, r"some\.yaml: not YAML: "),
        (b"a: 2001-99-99", r"some\.yaml: not YAML: month must be in 1..12"),
        (b"- 1\n", r"some\.yaml: must hold a mapping"),
        ("a: 1\nname: é\n".encode("latin-1"), r"some\.yaml:2: invalid UTF-8 .*iconv"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(tmp_path: Path, content: bytes, message: str) -> None:
    with pytest.raises(InputError, match=message) as told:
        read_yaml(written(tmp_path / "some.yaml", content))
    assert "\n" not in str(told.value)
    with pytest.raises(InputError, match=r"absent\.yaml: no such file"):
        read_yaml(tmp_path / "absent.yaml")


def test_escapes_of_json_are_read_and_what_cannot_be_used_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path / "some.json", r'["\ud83d\ude00", "\\ud83d", "\u00e9"]')
    assert read_json(path) == ["😀", "\\ud83d", "é"]
    for content, message in (
        ("[" * 100_000, "nested too deeply"),
        ("1" * 5000, "not JSON: Exceeds the limit"),
        (r'["\ud83d\ude00", "\ud83d"]', r"\\ud83d is half a character"),
        ('{"a": 1,\n}', "some.json:2: not JSON"),
    ):
        with pytest.raises(InputError, match=message):
            read_json(written(path, content))


def test_an_object_that_lacks_a_key_is_named_with_its_file(tmp_path: Path) -> None:
    path = written(tmp_path / "some.json", '{"cells": [{"a": 1}]}')
    content = read_json(path, dict)
    assert content == {"cells": [{"a": 1}]}
    for lacking, key in ((content, "rows"), (content["cells"][0], "b")):
        message = rf"some\.json: an object of it lacks the key '{key}' \(make the file"
        with pytest.raises(InputError, match=message):
            lacking[key]
        with pytest.raises(KeyError):
            lacking[key]
    assert type(pickle.loads(pickle.dumps(content))) is type(copy.deepcopy(content)) is dict
    with pytest.raises(InputError, match=r"some\.json: must hold a list \[\.\.\.\] \(make the file again"):
        read_json(path, list)


def lines(tmp_path, data, *arguments, **named):
    path = written(tmp_path / "text.txt", data)
    return list(decoded_lines(path, *arguments, **named))


def test_separators_of_unicode_end_no_line_and_a_byte_order_mark_begins_none(tmp_path):
    data = "\ufeffa\r\nb\u2028c\u0085d\x0be\r\r\n\n\ufeffg\n  f\r\ufeffg".encode()
    assert lines(tmp_path, data) == ["a", "b\u2028c\u0085d\x0be", "", "g", "  f", "g"]


@pytest.mark.parametrize("end", [b"", b"\r", b"\n"])
def test_carriage_returns_end_lines_alone_and_among_newlines(tmp_path, end):
    path = written(tmp_path / "old", "é cat\rb\r\rd".encode() + end)
    assert list(decoded_lines(path)) == ["é cat", "b", "", "d"]
    assert known_lines(path) == 4
    path.write_bytes(b"a\rb\nc\r\nd\n\re" + end)
    assert list(decoded_lines(path)) == ["a", "b", "c", "d", "", "e"]
    assert known_lines(path) == 6
    path.write_bytes(b"a\rb\n\xff")
    with pytest.raises(InputError, match="old:3: invalid UTF-8"):
        list(decoded_lines(path))


def test_only_ascii_spaces_separate_tokens():
    assert decode.tokens_of("1\u00a0000 euros\tx  y ") == ["1\u00a0000", "euros\tx", "y"]
    assert decode.tokens_of("") == decode.tokens_of(" ") == []


def test_codes_of_languages_in_all_forms():
    codes = ["de", "deu", "zh-TW", "zh_Hant", "yue", "cmn", "hsb"]
    assert list(map(decode.base_language, codes)) == ["de"] * 2 + ["zh"] * 4 + ["hsb"]


def test_lower_case_by_language():
    lower = [decode.lowercase("ILIK İYİ", code) for code in ("tr", "tur", "az", "en")]
    assert lower == ["ılık iyi", "ılık iyi", "ılık iyi", "ilik i̇yi̇"]
    assert decode.lowercase("ΟΔΟΣ", "el") == "οδος"
    assert decode.lowercase("STRASSE Straße", "de") == "strasse straße"


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
    with open_source(written(path, packed)) as stream:
        assert stream.read() == TEXT.encode()
    path.write_bytes(packed[:-20])
    with pytest.raises(InputError, match=rf"a{suffix}: truncated or damaged"), open_source(path) as stream:
        stream.read()
    assert lines(tmp_path, packed) == TEXT.split()  # whatever the name
    assert lines(tmp_path, gzip.compress(packed)) == TEXT.split()
    path.write_bytes(b"\xe9\xff")
    with pytest.raises(InputError, match=rf"a{suffix}: damaged: not UTF-8, and not what {suffix} says"):
        list(decoded_lines(path))


def test_lines_are_known_of_plain_files_and_of_nothing_else(tmp_path):
    for content in (b"", b"a\nb\n", b"a\n\nb", b"\n", b"a\r\n"):
        path = written(tmp_path / "a.txt", content)
        assert known_lines(path) == len(list(decoded_lines(path)))
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "a.gz").write_bytes(gzip.compress(b"a\n"))
    for name in ("pipe", "a.gz", "a.zip::a.txt", "missing"):
        assert known_lines(tmp_path / name) is None


@pytest.mark.parametrize(("name", "make"), [("a.zip", zipped), ("a.tar.gz", tarred), ("a.tgz", tarred)])
def test_a_member_is_read_as_a_stream_unless_its_archive_is_damaged(tmp_path, name, make):
    archive = make(tmp_path / name, {"in/a.txt": TEXT, "b.txt": "x"})
    assert decode.members(archive) == ["in/a.txt", "b.txt"]
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
        decode.members(archive)


def test_missing_file_and_folder(tmp_path):
    missing = dict.fromkeys(("/none.txt", "/none.zip::a"), "no such file")
    for name, message in (missing | {"": "is a folder"}).items():
        with pytest.raises(InputError, match=message), open_source(f"{tmp_path}{name}"):
            pass


def test_a_link_is_not_read_as_a_member(tmp_path):
    entry = tarfile.TarInfo("way")
    entry.type, entry.linkname = tarfile.SYMTYPE, "/etc/passwd"
    with tarfile.open(tmp_path / "a.tar", "w") as bundle:
        bundle.addfile(entry)
    with pytest.raises(InputError, match="no member 'way'"), open_source(f"{tmp_path}/a.tar::way"):
        pass
