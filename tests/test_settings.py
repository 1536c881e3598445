"""Settings: read from text, refused with their range, described and written as JSON schema from one definition."""

import dataclasses
import os
import subprocess
import sys
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
from pydantic import Field, SkipValidation

from crosslingua.encoders.laser import LaserSettings
from crosslingua.encoders.objectives import OBJECTIVES
from crosslingua.encoders.settings import PRESETS, Settings
from crosslingua.errors import ConfigError
from crosslingua.settings import Count, Dropout, Positive, Whole, definitions, read, settings, settings_help
from crosslingua.tasks.training import FineTuning
from programs import SCRIPTS, run_script


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
    given |= {"steam": 0, "most": None}
    made = read(Oven, "oven", given)
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
        ({"loaves": 2.5}, "oven: loaves=2.5: must be a whole number, at least 1"),
        ({"loaves": [1]}, "oven: loaves=[1]: must be a whole number, at least 1"),
        ({"loaves": None}, "oven: loaves=None: must be a whole number, at least 1"),
        ({"wait": 61}, "oven: wait=61: must be a whole number, at least 0 and at most 60"),
        ({"fan": "maybe"}, "oven: fan=maybe: must be true or false"),
        ({"bread": "white"}, "oven: bread=white: must be rye or true"),
        ({"most": -1}, "oven: most=-1: must be a whole number, at least 0 or null"),
        ({"wait": 1, "fan": "false"}, "oven: wait needs the fan"),
        ({"tins": 3}, "oven has no setting 'tins'"),
    ],
)
def test_what_is_wrong_is_named_with_what_is_allowed(value: dict, message: str) -> None:
    with pytest.raises(ConfigError) as error:
        read(Oven, "oven", {"flour": "rye", **value})
    assert str(error.value).startswith(message)


def test_everything_that_is_wrong_is_named_at_once() -> None:
    with pytest.raises(ConfigError) as error:
        read(Oven, "oven", {"heta": 1, "loafs": 2, "steam": 3})
    first, second, third, fourth = str(error.value).splitlines()
    assert "no setting 'heta'" in first
    assert first.endswith("did you mean 'heat'?")
    assert second.endswith("did you mean 'loaves'?")
    assert third.startswith("oven: steam=3")
    assert fourth == "oven needs the setting flour=..."


@pytest.mark.parametrize(
    "wrong",
    [{"loaves": "2"}, {"loaves": True}, {"heat": float("nan")}, {"fan": 1}, {"wait": -1}, {"bread": 3}],
)
def test_python_values_must_be_of_their_type_and_in_range(wrong: dict) -> None:
    with pytest.raises(ConfigError, match=f"{next(iter(wrong))}=.*: must be"):
        Oven("rye", **wrong)
    with pytest.raises(ConfigError, match=f"{next(iter(wrong))}=.*: must be"):
        dataclasses.replace(Oven("rye"), **wrong)


def test_one_definition_gives_schema_and_help() -> None:
    share = {"type": "number", "minimum": 0, "exclusiveMaximum": 1}
    assert definitions(Oven)["steam"] == share | {"description": "share of the time", "default": 0.5}
    assert definitions(Oven)["flour"] == {"type": "string", "description": "of which grain"}
    assert settings_help(Oven).splitlines()[:8] == [
        "How bread is baked (Baker 2000).",
        "",
        "  flour",
        "      of which grain",
        "  heat=220",
        "      degrees [a number, above 0]",
        "  steam=0.5",
        "      share of the time [a number, at least 0 and below 1]",
    ]


@pytest.mark.parametrize(
    ("script", "kind"),
    [("pretrain.py", Settings), ("finetune.py", FineTuning), ("train_laser.py", LaserSettings)],
)
def test_help_lists_every_setting_once(script: str, kind: type, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    told = run_script(SCRIPTS / script, "--help").stdout
    told, _, presets = told[told.index("settings (--set") :].partition("With preset=xlm_align:")
    headings = [line.strip() for line in told.splitlines() if line[:3].strip() and line[:2] == "  "]
    shown = [kind, *(OBJECTIVES[name].Settings for name in OBJECTIVES if kind is Settings)]
    names = sorted(name for part in dict.fromkeys(shown) for name in definitions(part))
    assert sorted(word.partition("=")[0] for word in headings) == names
    if kind is Settings:
        assert {"align_alpha=10", "dwa_queries=masked"} <= set(headings)
        assert {"lr=0.0001", "warmup=10000", "pack=true", "steps=500000"} <= set(headings)
        assert [word.partition("=")[0] for word in presets.split()] == list(PRESETS["xlm_align"])


def test_scripts_without_settings_do_not_import_pydantic(repository: Path) -> None:
    code = "import sys, crosslingua.cli, crosslingua.metrics, crosslingua.mappers; sys.exit('pydantic' in sys.modules)"
    environment = os.environ | {"PYTHONPATH": str(repository / "src")}
    subprocess.run([sys.executable, "-c", code], env=environment, check=True)
