"""YAML files that people write: an error names the file and the line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from crosslingua.errors import InputError
from crosslingua.io.decode import decoded_lines


def read_yaml(path: str | Path) -> dict[str, Any]:
    """Return the mapping that a file holds; an empty file's is empty. Raises InputError for anything else in it."""
    try:
        content = _load("".join(f"{line}\n" for line in decoded_lines(path)))
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        problem = getattr(error, "problem", None) or error
        raise InputError(path, f"not YAML: {problem}", line=mark.line + 1 if mark else None) from None
    if content is not None and not isinstance(content, dict):
        raise InputError(path, "must hold a mapping of keys to values: `name: value` lines")
    return content or {}


def _load(text: str) -> Any:
    """Return what YAML holds, by libyaml, which is ten times as fast; of what is none Python's parser tells more."""
    try:
        return yaml.load(text, getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except yaml.YAMLError:
        return yaml.safe_load(text)
