"""The identity of a configuration, and its errors; tests/workflow tests the checks."""

from pathlib import Path

import pytest

from configurations import SCHEMA, Opener
from crosslingua.config import FORMS, check, digest, merged
from crosslingua.errors import ConfigError
from crosslingua.io.json import read_json, read_yaml
from crosslingua.workflow.configuration import open_workflow, placed


def test_digest_ignores_the_order_of_keys_only() -> None:
    assert digest({"a": 1, "b": [1, 2]}) == digest({"b": [1, 2], "a": 1}) != digest({"a": 1, "b": [2, 1]})


def test_each_key_that_is_missing_is_named_once() -> None:
    with pytest.raises(ConfigError) as caught:
        check({"a": {}}, {"properties": {"a": {"required": ["x", "y"]}}})
    assert str(caught.value).splitlines()[1:] == [f"  - a: the key {name!r} is missing" for name in "xy"]


def test_patterns_are_told_in_words(repository: Path) -> None:
    def patterns(part: object) -> set[str]:
        inner = part.values() if isinstance(part, dict) else part if isinstance(part, list) else ()
        own = {part["pattern"]} if isinstance(part, dict) and isinstance(part.get("pattern"), str) else set()
        return own.union(*map(patterns, inner))

    assert patterns(read_json(repository / SCHEMA)) == set(FORMS)


MINE = """scale: mine
seeds: [1, 2]
languages:
  pt-br: {path: x}
  sw: {file: x}
word_embeddings: {dim: 5,
  epoch: 0}
pairs: [%s]
"""


@pytest.mark.parametrize(
    ("given", "lines"),
    [
        ({}, ["mine.yaml:4: languages: 'pt-br'", "mine.yaml:5: unknown key languages.sw.file",
              "mine.yaml:5: languages.sw: the key 'path'", "mine.yaml:7: word_embeddings.epoch: 0"]),
        ({"seeds": ["x"]}, ["--config seeds.0: 'x'"]),
        ({"sedes": [1]}, ["--config unknown key sedes"]),
    ],
)  # fmt: skip
def test_the_file_and_the_line_of_a_mistake_are_named(opened: Opener, given: dict, lines: list[str]) -> None:
    files = _mine(opened, MINE % "ana-ber")
    config = opened.merged(change=merged(read_yaml(files[1]), given))
    with pytest.raises(ConfigError) as told:
        open_workflow(config, SCHEMA, files)
    assert all(f"  - {line}" in str(told.value) for line in lines), told.value


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("languages:\n  no: {path: x}\n", r"^mine\.yaml:2: languages: YAML reads the name no, off or false as"),
        ("pairs: [no]\n", r"mine\.yaml:2: pairs.0: False has the wrong type; .*reads no, off, yes and .*use quotes"),
        ("\npairs: [ana-berr]\n", r"^mine\.yaml:3: pairs: ana-berr: 'berr' is not defined"),
    ],
)  # fmt: skip
def test_an_unknown_name_or_truth_value_has_its_line(opened: Opener, text: str, message: str) -> None:
    files = _mine(opened, f"scale: mine\n{text}")
    with pytest.raises(ConfigError, match=message):
        open_workflow(opened.merged(change=read_yaml(files[1])), SCHEMA, files)


@pytest.mark.parametrize(
    ("message", "shown"),
    [
        ("languages.sw: path: no file", "mine.yaml:3: languages.sw: path: no file"),
        ("languages.sw: tokeniser: none", "--config languages.sw: tokeniser: none"),
        ("languages.sw: none: x", "mine.yaml:3: languages.sw: none: x"),
        ("pairs: sw-en: x", "--config pairs: sw-en: x"),
        ("something else: x", "something else: x"),
    ],
)
def test_errors_of_a_key_say_where_it_was_given(opened: Opener, message: str, shown: str) -> None:
    files = _mine(opened, "scale: mine\nlanguages:\n  sw: {path: x}\n")
    change = merged(read_yaml(files[1]), {"languages": {"sw": {"tokeniser": "moses"}}, "pairs": ["sw-en"]})
    with pytest.raises(ConfigError) as told, placed(opened.merged(change=change), files):
        raise ConfigError(message)
    assert str(told.value) == shown


@pytest.mark.parametrize("own", [None, {"train": None, "test": None}, {"validation_share": 0.2}])
def test_null_is_no_dictionary_of_your_own(opened: Opener, own: dict | None) -> None:
    w = opened("own", {"dictionaries": own})
    assert w.config["dictionaries"]["validation_share"] == (own or {}).get("validation_share", 0.1)


def _mine(opened: Opener, text: str) -> list[str]:
    (opened.folder / "mine.yaml").write_text(text)
    return ["config.yaml", "mine.yaml"]
