"""JSON and YAML: readable, in the given order, written atomically."""

import json
from pathlib import Path
from typing import Any

import yaml

from crosslingua.errors import InputError
from crosslingua.io.atomic import atomic_open
from crosslingua.io.decode import decoded_lines


def write_json(path: str | Path, value: Any) -> None:
    """Write `value` as indented UTF-8 JSON; NaN and infinities are refused (ValueError): JSON has none."""
    text = json.dumps(value, ensure_ascii=False, indent=1, allow_nan=False)
    with atomic_open(path) as stream:
        stream.write(text + "\n")


def read_json(path: str | Path) -> Any:
    """Read a JSON file. Raises InputError with the line of a syntax error, or when the file is missing."""
    try:
        return json.loads(Path(path).read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        raise InputError(path, "no such file") from None
    except ValueError as error:
        raise InputError(path, f"not JSON: {error}", line=getattr(error, "lineno", None)) from None


def read_yaml(path: str | Path) -> dict[str, Any]:
    """Return the mapping of a YAML file, {} for an empty file. Raises InputError, with the line, for anything else."""
    text = "".join(f"{line}\n" for line in decoded_lines(path))
    try:
        try:  # libyaml is ten times as fast; Python's parser has the better error messages
            content = yaml.load(text, getattr(yaml, "CSafeLoader", yaml.SafeLoader))
        except yaml.YAMLError:
            content = yaml.safe_load(text)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        problem = getattr(error, "problem", None) or error
        raise InputError(path, f"not YAML: {problem}", line=mark.line + 1 if mark else None) from None
    if content is not None and not isinstance(content, dict):
        raise InputError(path, "must hold a mapping of keys to values: `name: value` lines")
    return content or {}
