"""Read YAML that people edit: repeated keys are refused, and every key knows its line."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import yaml

from crosslingua.errors import InputError
from crosslingua.io.decode import decoded_lines

Place = tuple[str | int, ...]
# libyaml's, where it is there, is seven times as fast.
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def load_yaml(path: str | Path) -> tuple[Any, Callable[[Place], int | None]]:
    """Return the document and a function from a key path, such as `("xquad", "files")`, to its 1-based line.

    Raises InputError with file and line on a syntax error and on a key given twice.
    """
    try:
        loader = LOADER("".join(f"{line}\n" for line in decoded_lines(path)))
        node = loader.get_single_node()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        raise InputError(path, f"not YAML: {error.problem}", line=mark.line + 1 if mark else None) from None
    if node is None:
        raise InputError(path, "empty file")
    lines: dict[Place, int] = {}
    _walk(node, (), lines, path)
    return loader.construct_document(node), lambda place: _closest(place, lines)


def _walk(node: yaml.Node, place: Place, lines: dict[Place, int], path: str | Path) -> None:
    lines.setdefault(place, node.start_mark.line + 1)
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            inner = (*place, key.value)
            if inner in lines:
                raise InputError(
                    path, f"key {key.value!r} given twice (before: line {lines[inner]})",
                    line=key.start_mark.line + 1,
                )  # fmt: skip
            lines[inner] = key.start_mark.line + 1
            _walk(value, inner, lines, path)
    elif isinstance(node, yaml.SequenceNode):
        for index, value in enumerate(node.value):
            _walk(value, (*place, index), lines, path)


def _closest(place: Place, lines: dict[Place, int]) -> int | None:
    while place and place not in lines:
        place = place[:-1]
    return lines.get(place)


def check_rows(
    rows: Any, schema: Mapping[str, Any], path: str | Path, line_of: Callable[[Place], int | None]
) -> None:
    """Raise InputError, with the line and the key, for the first thing that a schema does not allow."""
    from jsonschema import Draft202012Validator  # 0.1 s to import: only who loads a table pays

    errors = Draft202012Validator(schema).iter_errors(rows)
    for error in sorted(errors, key=lambda error: list(map(str, error.absolute_path))):
        place = tuple(error.absolute_path)
        key = ".".join(map(str, place)) or "the whole file"
        raise InputError(path, f"{key}: {error.message}", line=line_of(place))
