"""What --help says of settings."""

import dataclasses
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from crosslingua.encoders.laser.decoder import LaserSettings
from crosslingua.encoders.objectives import OBJECTIVES
from crosslingua.encoders.settings import PRESETS, Settings
from crosslingua.settings import settings_help
from crosslingua.tasks.training import FineTuning


@dataclass
class Oven:
    """How bread is baked.

    - `heat` (degrees) and `fan`: of the oven,
      whatever `timer` says

    Time:

    - `minutes`: of baking at that `heat`
    """

    heat: float = 2.5e-5
    fan: bool = True
    minutes: int = 40


@dataclass
class Secret:
    """Says nothing."""

    heat: int = 3


def test_an_item_is_headed_by_its_settings_with_their_defaults() -> None:
    assert settings_help(Oven).splitlines() == [
        "How bread is baked.",
        "",
        "  heat=2.5e-05 fan=true",
        "      `heat` (degrees) and `fan`: of the oven, whatever `timer` says",
        "",
        "Time:",
        "",
        "  minutes=40",
        "      `minutes`: of baking at that `heat`",
    ]


def test_a_setting_without_a_word_is_an_error() -> None:
    with pytest.raises(ValueError, match="Secret: the docstring does not name heat"):
        settings_help(Secret)


@pytest.mark.parametrize(
    ("script", "settings"),
    [("pretrain.py", Settings), ("finetune.py", FineTuning), ("train_laser.py", LaserSettings)],
)
def test_help_lists_every_setting_once(repository: Path, script: str, settings: type) -> None:
    environment = os.environ | {"PYTHONPATH": str(repository / "src"), "COLUMNS": "120"}
    command = [sys.executable, str(repository / "scripts" / script), "--help"]
    told = subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout
    told, _, presets = told[told.index("settings (--set") :].partition("With preset=xlm_align:")
    headings = [
        word for line in told.splitlines() if line[:3].strip() and line[:2] == "  " for word in line.split()
    ]
    shown = [settings, *(OBJECTIVES[name].Settings for name in OBJECTIVES if settings is Settings)]
    assert sorted(word.partition("=")[0] for word in headings) == sorted(
        field.name for part in shown for field in dataclasses.fields(part)
    )
    if settings is Settings:
        assert {"align_alpha=10", "dwa_queries=masked"} <= set(headings)
        assert {"lr=0.0001", "warmup=10000", "pack=true", "steps=500000"} <= set(headings)
        assert [word.partition("=")[0] for word in presets.split()] == list(PRESETS["xlm_align"])
