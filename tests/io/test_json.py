"""YAML files: an error is one line that names the file and the line."""

import copy
import pickle
from pathlib import Path

import pytest

from crosslingua.errors import InputError
from crosslingua.io.json import read_json, read_yaml
from texts import written


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
        (b"a: 1\na: \x07\n", r"some\.yaml: not YAML: "),
        (b"a: 1\nb: {c: 1,\n  c: 2}\n", r"some\.yaml:3: not YAML: the key 'c' stands in line 2 too"),
        (b"a: &a [*a]\n", r"some\.yaml:1: not YAML: its aliases make more than 1,000,000 values"),
        (
            b"a0: &a0 [1, 1]\n"
            + b"".join(b"a%d: &a%d [*a%d, *a%d]\n" % (i, i, i - 1, i - 1) for i in range(1, 40)),
            r"some\.yaml:1: not YAML: its aliases make more than 1,000,000 values",
        ),
        (b"[" * 20000, r"some\.yaml: nested too deeply"),
        (b"- 1\n", r"some\.yaml: must hold a mapping"),
        ("a: 1\nname: é\n".encode("latin-1"), r"some\.yaml:2: invalid UTF-8 .*iconv"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(tmp_path: Path, content: bytes, message: str) -> None:
    path = written(tmp_path / "some.yaml", content)
    with pytest.raises(InputError, match=message):
        read_yaml(path)
    with pytest.raises(InputError, match=r"absent\.yaml: no such file"):
        read_yaml(tmp_path / "absent.yaml")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("[" * 100_000, "nested too deeply"),
        ("1" * 5000, "not JSON: Exceeds the limit"),
        (r'["\ud83d\ude00", "\ud83d"]', r"\\ud83d is half a character"),
        ('{"a": 1,\n}', "some.json:2: not JSON"),
    ],
)
def test_json_that_cannot_be_used_is_refused(tmp_path: Path, content: str, message: str) -> None:
    path = written(tmp_path / "some.json", content)
    with pytest.raises(InputError, match=message):
        read_json(path)


def test_escapes_of_json_are_read(tmp_path: Path) -> None:
    path = written(tmp_path / "some.json", r'["\ud83d\ude00", "\\ud83d", "\u00e9"]')
    assert read_json(path) == ["😀", "\\ud83d", "é"]


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
