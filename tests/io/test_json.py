"""YAML files: what is wrong with one is told in one line that names the file, and the line."""

from pathlib import Path

import pytest

from crosslingua.errors import InputError
from crosslingua.io.json import read_yaml


def test_a_mapping_is_read_and_nothing_is_an_empty_one(tmp_path: Path) -> None:
    path = tmp_path / "some.yaml"
    path.write_bytes("\ufeffname: é\r\ntext: |\r\n  a\r\n".encode())
    assert read_yaml(path) == {"name": "é", "text": "a\n"}
    path.write_text("# a comment\n")
    assert read_yaml(path) == {}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"a: 1\nb: [1,\nc: 2\n", r"some\.yaml:4: not YAML: "),
        (b"a: 1\na: \x07\n", r"some\.yaml: not YAML: "),
        (b"- 1\n", r"some\.yaml: must hold a mapping"),
        ("a: 1\nname: é\n".encode("latin-1"), r"some\.yaml:2: invalid UTF-8 .*iconv"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "some.yaml"
    path.write_bytes(content)
    with pytest.raises(InputError, match=message):
        read_yaml(path)
    with pytest.raises(InputError, match=r"absent\.yaml: no such file"):
        read_yaml(tmp_path / "absent.yaml")
