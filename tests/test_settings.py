"""Typed settings: families, ranges, did-you-mean; the identity of a configuration and its errors."""

from __future__ import annotations

import ast
import dataclasses
import os
import re
import subprocess
import sys
from collections import defaultdict
from functools import partial
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
from pydantic import Field, SkipValidation

import crosslingua
from configurations import Opener
from crosslingua.config import check, digest, merged
from crosslingua.encoders.objectives import OBJECTIVES
from crosslingua.encoders.settings import PRESETS, Settings
from crosslingua.errors import ConfigError
from crosslingua.io.json import read_yaml
from crosslingua.laser.settings import LaserSettings
from crosslingua.settings import (
    Count,
    Dropout,
    Positive,
    Whole,
    definitions,
    parse_settings,
    read,
    settings,
    settings_help,
)
from crosslingua.tasks.settings import FineTuning
from crosslingua.workflow.configuration import open_workflow, placed
from programs import SCRIPTS, run_script

SOURCE = Path(crosslingua.__file__).parent
ABOVE = ("papers", "workflow", "two_texts")  # what is built of families
LOADER = "paper_folders"  # loads what is above by name


@settings
class Oven:
    """How bread is baked
    (Baker 2000)."""

    flour: Annotated[str, "of which grain"]
    tins: SkipValidation[Any] = None
    heat: Annotated[Positive, "degrees"] = 220.0
    steam: Annotated[Dropout, "share of the time"] = 0.5
    loaves: Annotated[Count, "at once"] = 2
    wait: Annotated[int, Field(ge=0, le=60), "minutes"] = 0
    fan: Annotated[bool, "blow"] = True
    bread: Annotated[Literal["rye", "true"], "which"] = "rye"
    most: Annotated[Whole | None, "null: any"] = None

    def __post_init__(self) -> None:
        if self.wait and not self.fan:
            raise ConfigError("wait needs the fan")


def test_text_is_read_as_the_type_of_the_setting() -> None:
    given = {"flour": "rye", "heat": "2e2", "loaves": "3", "fan": "false", "bread": True}
    made = read(Oven, "oven", given | {"steam": 0, "most": None})
    assert made == Oven("rye", heat=200.0, loaves=3, fan=False, bread="true", steam=0.0)
    assert [type(value) for value in (made.heat, made.steam, made.loaves)] == [float, float, int]
    assert read(Oven, "oven", ["flour=a=b", "wait=60", "most=7"]) == Oven("a=b", wait=60, most=7)
    assert read(Oven, "oven", ["flour=rye"], tins=[1]).tins == [1]


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({"heat": 0}, "oven: heat=0: must be a number, above 0"),
        ({"heat": "hot"}, "oven: heat=hot: must be a number, above 0"),
        ({"heat": "nan"}, "oven: heat=nan: must be a number, above 0"),
        ({"heat": float("inf")}, "oven: heat=inf: must be a number, above 0"),
        ({"heat": True}, "oven: heat=True: must be a number, above 0"),
        ({"steam": 1}, "oven: steam=1: must be a number, at least 0 and below 1"),
        ({"loaves": 2.5}, "oven: loaves=2.5: must be a whole number from 1 to 2147483647"),
        ({"loaves": [1]}, "oven: loaves=[1]: must be a whole number from 1 to 2147483647"),
        ({"loaves": None}, "oven: loaves=None: must be a whole number from 1 to 2147483647"),
        ({"wait": 61}, "oven: wait=61: must be a whole number from 0 to 60"),
        ({"fan": "maybe"}, "oven: fan=maybe: must be true or false"),
        ({"bread": "white"}, "oven: bread=white: must be rye or true"),
        ({"most": -1}, "oven: most=-1: must be a whole number from 0 to 2147483647 or null"),
        ({"loaves": 2**31}, "oven: loaves=2147483648: must be a whole number from 1 to 2147483647"),
        ({"most": 10**400}, "oven: most=1000"),
        ({"wait": 1, "fan": "false"}, "oven: wait needs the fan"),
        ({"tins": 3}, "oven has no setting 'tins'"),
    ],
)
def test_what_is_wrong_is_named_with_what_is_allowed(value: dict, message: str) -> None:
    with pytest.raises(ConfigError) as error:
        read(Oven, "oven", {"flour": "rye", **value})
    assert str(error.value).startswith(message)


def test_another_programs_name_is_read_with_a_hint(caplog) -> None:
    assert parse_settings(["learning_rate=1", "ner.learning_rate=2"]) == {"lr": "1", "ner.lr": "2"}
    assert "ner.learning_rate is read as ner.lr" in caplog.text


def test_everything_that_is_wrong_is_named_at_once() -> None:
    with pytest.raises(ConfigError) as error:
        read(Oven, "oven", {"heta": 1, "loafs": 2, "steam": 3})
    expected = "no setting 'heta'.*did you mean 'heat'[?]\n.*did you mean 'loaves'[?]\noven: steam=3.*\n"
    assert re.search(f"{expected}oven needs the setting flour=...$", str(error.value))


@pytest.mark.parametrize(
    "wrong",
    [{"loaves": "2"}, {"loaves": True}, {"heat": float("nan")}, {"fan": 1}, {"wait": -1}, {"bread": 3}],
)
def test_python_values_must_be_of_their_type_and_in_range(wrong: dict) -> None:
    for make in (partial(Oven, "rye"), partial(dataclasses.replace, Oven("rye"))):
        with pytest.raises(ConfigError, match=f"{next(iter(wrong))}=.*: must be"):
            make(**wrong)


def test_one_definition_gives_schema_and_help() -> None:
    share = {"type": "number", "minimum": 0, "exclusiveMaximum": 1}
    assert definitions(Oven)["steam"] == share | {"description": "share of the time", "default": 0.5}
    assert definitions(Oven)["flour"] == {"type": "string", "description": "of which grain"}
    flour, heat = "  flour\n      of which grain", "  heat=220\n      degrees [a number, above 0]"
    steam = "  steam=0.5\n      share of the time [a number, at least 0 and below 1]"
    assert settings_help(Oven).startswith(f"How bread is baked (Baker 2000).\n\n{flour}\n{heat}\n{steam}\n")


@pytest.mark.parametrize(
    ("script", "kind"),
    [("pretrain.py", Settings), ("finetune.py", FineTuning), ("train_laser.py", LaserSettings)],
)
def test_help_lists_every_setting_once(script: str, kind: type, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    told = run_script(SCRIPTS / script, "--help").stdout
    told, _, presets = told[told.index("settings (--set") :].partition("With preset=xlm_align:")
    headings = [line.strip() for line in told.splitlines() if line[:3].strip() and line[:2] == "  "]
    shown = [kind, *(OBJECTIVES.settings(name) for name in OBJECTIVES if kind is Settings)]
    names = sorted(name for part in dict.fromkeys(shown) for name in definitions(part))
    assert sorted(word.partition("=")[0] for word in headings) == names
    if kind is Settings:
        assert {"align_alpha=10", "dwa_queries=masked"} <= set(headings)
        assert {"lr=0.0001", "warmup=10000", "pack=true", "steps=500000"} <= set(headings)
        assert [word.partition("=")[0] for word in presets.split()] == list(PRESETS["xlm_align"])


def test_settings_of_configurations_are_known_without_what_is_slow_to_import(repository: Path) -> None:
    code = "import sys\nfrom crosslingua.workflow import families\n"
    code += "assert None not in map(families.types_of, families.NAMES)\n"
    code += "sys.exit(bool({'torch', 'pandas', 'transformers'} & {*sys.modules}))"
    environment = os.environ | {"PYTHONPATH": str(repository / "src")}
    subprocess.run([sys.executable, "-c", code], env=environment, check=True)


def test_scripts_without_settings_do_not_import_pydantic(repository: Path) -> None:
    code = "import sys, crosslingua.cli, crosslingua.metrics, crosslingua.mappers; sys.exit('pydantic' in sys.modules)"
    environment = os.environ | {"PYTHONPATH": str(repository / "src")}
    subprocess.run([sys.executable, "-c", code], env=environment, check=True)


def families() -> set[str]:
    return {path.parent.name for path in SOURCE.glob("*/__init__.py")}


def imports() -> dict[str, dict[str, set[str]]]:
    """Return, for each family, the others that it imports at any depth, and by which files."""
    known = families() | {LOADER}
    found: dict[str, dict[str, set[str]]] = {name: defaultdict(set) for name in families()}
    for path in sorted(SOURCE.glob("*/**/*.py")):
        family = path.relative_to(SOURCE).parts[0]
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            for name in modules(node):
                parts = name.split(".")
                if parts[0] == "crosslingua" and len(parts) > 1 and parts[1] in known - {family}:
                    found[family][parts[1]].add(str(path.relative_to(SOURCE)))
    return found


def modules(node: ast.AST) -> list[str]:
    """Return the dotted names that a statement imports."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        assert node.level == 0, "relative imports are not used here"
        return [f"{node.module}.{alias.name}" for alias in node.names]
    return []


def cycle_of(graph: dict[str, set[str]]) -> list[str]:
    """Return a cycle, the first node again at its end; empty if there is none."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return error.args[1]
    return []


def test_no_two_families_import_each_other() -> None:
    assert sorted(set(cycle_of({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}}))) == ["a", "b", "c"]
    cycle = cycle_of({family: set(others) for family, others in imports().items()})
    files = {f"{b} in {file}" for a, b in zip(cycle[1:], cycle, strict=False) for file in imports()[a][b]}
    assert cycle == [], sorted(files)


def modules_of(path: Path) -> set[str]:
    """Return the modules of this package that a file imports at any depth, but for types."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    guarded = [n for n in ast.walk(tree) if isinstance(n, ast.If) and "TYPE_CHECKING" in ast.unparse(n.test)]
    left_out = {id(inner) for node in guarded for inner in ast.walk(node)}
    names = [name for node in ast.walk(tree) if id(node) not in left_out for name in modules(node)]
    places = [(SOURCE.parent / name.replace(".", "/")).with_suffix(".py") for name in names]
    return {str(p if p.is_file() else p.parent.with_suffix(".py")) for p in places} - {str(path)}


def test_no_two_modules_import_each_other() -> None:
    graph = {str(path): modules_of(path) for path in SOURCE.rglob("*.py")}
    assert str(SOURCE / "errors.py") in graph[str(SOURCE / "paper_folders.py")]
    assert cycle_of(graph) == []


def test_families_know_neither_paper_nor_workflow() -> None:
    found = imports()
    assert found["tasks"]["embedders"]  # so imports are read
    known = {family: found[family].keys() & {*ABOVE, LOADER} for family in families() - set(ABOVE)}
    assert {family: found[family] for family, above in known.items() if above} == {}


def test_digest_ignores_the_order_of_keys_only() -> None:
    assert digest({"a": 1, "b": [1, 2]}) == digest({"b": [1, 2], "a": 1}) != digest({"a": 1, "b": [2, 1]})


def test_each_key_that_is_missing_is_named_once() -> None:
    with pytest.raises(ConfigError) as caught:
        check({"a": {}}, {"properties": {"a": {"required": ["x", "y"]}}})
    assert str(caught.value).splitlines()[1:] == [f"  - a: {name!r} is a required property" for name in "xy"]


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
        open_workflow(config, files)
    assert all(f"  - {line}" in str(told.value) for line in lines), told.value


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("languages:\n  no: {path: x}\n", r"^mine\.yaml:2: languages: YAML reads the name no, off or false as"),
        ("pairs: [no]\n", r"mine\.yaml:2: pairs.0: False has the wrong type; .*reads no, off, yes and .*use quotes"),
        ("\npairs: [ana-berr]\n", r"^mine\.yaml:3: pairs: ana-berr: 'berr' is not defined"),
        ("word_embeddings:\n  lr: nan\n", r"^mine\.yaml:3: word_embeddings.lr: nan is no number"),
        ("word_embeddings:\n  lr: .nan\n", r"^mine\.yaml:3: word_embeddings.lr: nan is no number"),
        (
            "encoders:\n  settings: {warmup: 5}\nalign_mlm:\n  settings: {steps: 5}\n",
            r"^mine\.yaml:3: encoders\.settings\.warmup, mine\.yaml:5: align_mlm\.settings\.steps: "
            r"encoder mlm\.trans_inv: .*warmup 5 is not below steps 5",
        ),
        (
            "align_mlm:\n  systems:\n    mlm: {settings: {max_length: 512}}\n",
            r"^mine\.yaml:4: align_mlm\.systems\.mlm\.settings\.max_length, config\.yaml:\d+: "
            r"encoders\.settings\.max_positions: encoder mlm\.trans_inv: .*max_length 512 is above max_positions 128",
        ),
        (
            "align_mlm:\n  ablations:\n    length: {steps: [150]}\n",
            r"^config\.yaml:\d+: encoders\.settings\.warmup, mine\.yaml:3: align_mlm\.ablations: "
            r"encoder mlm_steps_150\.trans_inv: .*warmup 200 is not below steps 150",
        ),
    ],
)  # fmt: skip
def test_a_wrong_name_or_value_has_its_line(opened: Opener, text: str, message: str) -> None:
    files = _mine(opened, f"scale: mine\n{text}")
    with pytest.raises(ConfigError, match=message):
        open_workflow(opened.merged(change=read_yaml(files[1])), files)


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
    assert w.config.dictionaries.validation_share == (own or {}).get("validation_share", 0.1)


def _mine(opened: Opener, text: str) -> list[str]:
    (opened.folder / "mine.yaml").write_text(text)
    return ["config.yaml", "mine.yaml"]


def test_a_value_of_a_users_file_that_is_none_of_the_legal_ones_names_the_one_that_was_meant() -> None:
    schema = {"properties": {"kind": {"enum": ["above", "below"]}}}
    with pytest.raises(
        ConfigError, match=r"kind: 'belwo' is not allowed; choose one of 'above', 'below'.*mean 'below'"
    ):
        check({"kind": "belwo"}, schema)
