"""Values of a configuration, through a shell: they arrive as they are, and nothing in them runs."""

import json
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from configurations import Opener, jobs
from crosslingua.workflow.workflow import options, settings_words

TELL = "import json, sys; print(json.dumps(sys.argv[1:]))"
HOSTILE = ["two words", "it's", 'a "quoted" word', "$(touch ran)", "`touch ran`", "$HOME", "a;touch ran"]
HOSTILE += ["a&b|c>ran", "*", "\\", "~", "line\nbreak", "#no comment", "{input}", "日本語 кот"]


def arrived(command_line: str, folder: Path) -> list[str]:
    """The arguments that a program gets of a command line."""
    command = f"{shlex.quote(sys.executable)} -c {shlex.quote(TELL)} {command_line}"
    done = subprocess.run(["bash", "-c", command], cwd=folder, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def test_what_a_shell_would_act_on_arrives_as_it_is(tmp_path: Path) -> None:
    values = {f"value_{i}": text for i, text in enumerate(HOSTILE)}
    assert arrived(options(values), tmp_path) == [f"--value-{i}={text}" for i, text in enumerate(HOSTILE)]
    assert arrived(options({"all": HOSTILE}), tmp_path) == ["--all", *HOSTILE]
    told = options({"set": settings_words({"note": "$(touch ran) x"})})
    assert arrived(told, tmp_path) == ["--set", "note=$(touch ran) x"]
    assert list(tmp_path.iterdir()) == []


def test_kinds_of_values_and_settings() -> None:
    values = {"dim": 64, "lr": 1e-3, "zero": 0, "is_flag": True, "no": False, "none": None, "empty": []}
    assert options(values) == "--dim=64 --lr=0.001 --zero=0 --is-flag"
    assert options({"pair": ("a", "b c"), "text": ""}) == "--pair a 'b c' --text="
    assert options({}) == options({"set": settings_words(None)}) == ""
    settings = {"steps": 20, "pack": False, "preset": "xlm align", "rate": None}
    assert settings_words(settings) == ["steps=20", "pack=false", "preset=xlm align"]
    assert settings_words(None) == []


@pytest.mark.parametrize("scale", ["", "full", "small", "paper"])
def test_no_options_are_longer_than_a_command_line_may_be(opened: Opener, scale: str) -> None:
    told = [job.options for job in jobs(opened(scale)).values()]
    assert max(len(options(each)) for each in told) < 1700  # 2,000 with script, inputs, outputs and log
