"""A plan: what a figure, or a paper's verdicts, are made from. JSON, written by the workflow or by hand.

    {"inputs": {"rows": ["rows/xlm_align.main.csv"]}, "settings": {"caption": "scale demo"}}

`inputs` are files by their part in it, `settings` anything else; a plan of claims has `cells`, files of
`crosslingua.cells`, in place of settings, and `runs`, the training of the encoders that each seed reads.
"""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Any

from crosslingua.errors import InputError
from crosslingua.io.json import read_json


class Part(dict):
    """A part of a plan. Asking for what it lacks raises InputError with the plan's file."""

    def __init__(self, path: str | Path, name: str, content: dict[str, Any]):
        super().__init__(content)
        self.place = path, name

    def __missing__(self, key: str) -> Any:
        path, name = self.place
        raise InputError(path, f"{name} has no {key!r}")


def read_plan(path: str | Path, parts: Collection[str]) -> dict[str, Any]:
    """Return `parts` of a plan; one that is not there is empty. Raises InputError where it does not have the form."""
    content = read_json(path)
    if not isinstance(content, dict) or not content.keys() <= set(parts):
        raise InputError(path, f"a plan is an object with the parts {', '.join(parts)}")
    readers = {"inputs": _inputs, "settings": dict, "cells": _files, "runs": _runs, "earlier": _numbers}
    try:
        read = {name: readers[name](content.get(name, ())) for name in parts}
    except (AttributeError, TypeError, ValueError) as error:
        raise InputError(path, f"not a plan: {error}") from None
    return {name: Part(path, name, part) if isinstance(part, dict) else part for name, part in read.items()}


def _inputs(content: Any) -> dict[str, list[Path]]:
    return {name: _files(files) for name, files in dict(content).items()}


def _runs(content: Any) -> dict[int, int]:
    return {int(seed): int(run) for seed, run in dict(content).items()}


def _numbers(content: Any) -> list[int]:
    return [int(number) for number in content]


def _files(content: Any) -> list[Path]:
    if isinstance(content, str):
        raise TypeError(f"{content!r} is no list of files")
    return [Path(file) for file in content]
