"""Plans: what is in them, and errors that name the file."""

from pathlib import Path

import pytest

from crosslingua.cells import read_plan
from crosslingua.errors import InputError
from crosslingua.io.json import write_json


def test_parts_are_read_and_may_be_empty(tmp_path: Path) -> None:
    path = tmp_path / "plan.json"
    write_json(path, {"inputs": {"rows": ["a.csv", "b.csv"]}, "settings": {"words": 3}})
    plan = read_plan(path, ["inputs", "settings"])
    assert plan["inputs"] == {"rows": [Path("a.csv"), Path("b.csv")]}
    assert plan["settings"]["words"] == 3
    write_json(path, {})
    assert read_plan(path, ["inputs", "cells"]) == {"inputs": {}, "cells": []}


def test_what_is_missing_or_malformed_is_told_with_the_file(tmp_path: Path) -> None:
    path = tmp_path / "plan.json"
    write_json(path, {"inputs": {"rows": []}})
    with pytest.raises(InputError, match=r"plan\.json: inputs has no 'gold'"):
        read_plan(path, ["inputs"])["inputs"]["gold"]
    for content in ([], {"inputs": {}, "cells": []}, {"inputs": [1]}, {"inputs": {"rows": "a.csv"}}):
        write_json(path, content)
        with pytest.raises(InputError, match=r"plan\.json: "):
            read_plan(path, ["inputs", "settings"])
