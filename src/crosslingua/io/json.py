"""JSON and YAML: readable, in the given order, written atomically."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import yaml

from crosslingua.errors import InputError
from crosslingua.io.atomic import atomic_open
from crosslingua.io.decode import decoded_lines, readable


def write_json(path: str | Path, value: Any) -> None:
    """Write `value` as indented UTF-8 JSON; NaN and infinities are refused (ValueError): JSON has none."""
    text = json.dumps(value, ensure_ascii=False, indent=1, allow_nan=False)
    with atomic_open(path) as stream:
        stream.write(text + "\n")


class MissingKey(InputError, KeyError):
    """An object of a file lacks a key."""

    def __str__(self) -> str:
        return str(self.args[0])


class Object(dict):
    """An object of a JSON file; asking for a key that it lacks raises MissingKey with the file."""

    def __init__(self, content: dict[str, Any], path: str | Path):
        super().__init__(content)
        self.path = path

    def __reduce__(self) -> tuple[type, tuple[dict[str, Any]]]:
        return dict, (dict(self),)  # copies and pickles are of no file

    def __missing__(self, key: str) -> Any:
        raise MissingKey(self.path, f"an object of it lacks the key {key!r}", remedy="make the file again")


def _object(pairs: list[tuple[str, Any]], path: str | Path) -> Object:
    made = Object(dict(pairs), path)
    if len(made) < len(pairs):
        twice, _ = Counter(key for key, _ in pairs).most_common(1)[0]
        raise InputError(path, f"the key {twice!r} stands twice in an object", remedy="remove one of the two")
    return made


# Pairs of escapes that make one character, and single ones.
SURROGATES = re.compile(r"\\\\|\\u[dD][89abAB]..\\u[dD][c-fC-F]..|(\\u[dD][89a-fA-F]..)")
SHAPES = {dict: "an object {...}", list: "a list [...]"}


def read_json(path: str | Path, shape: type = object) -> Any:
    """Read a JSON file. Raises InputError for a syntax error (with its line), a missing file, a key that stands twice
    in an object, and a content that is not of `shape` (dict or list). Reading a missing key of an object raises
    InputError later.
    """
    with readable(path):
        try:
            text = Path(path).read_text(encoding="utf-8-sig")
            halves = (found[1] for found in SURROGATES.finditer(text) if found[1])
            if "\\u" in text and (half := next(halves, None)):  # which can't be written as UTF-8
                raise InputError(
                    path, f"{half} is half a character", remedy="write the character itself, in UTF-8"
                )
            content = json.loads(text, object_pairs_hook=lambda pairs: _object(pairs, path))
        except RecursionError:
            raise InputError(path, "nested too deeply", remedy="make the file again") from None
        except ValueError as error:
            raise InputError(
                path,
                f"not JSON: {error}",
                line=getattr(error, "lineno", None),
                remedy="correct the file, or fetch or make it again",
            ) from None
    if not isinstance(content, shape):
        raise InputError(path, f"must hold {SHAPES[shape]}", remedy="make the file again")
    return content


def read_settings(path: str | Path) -> dict[str, Any]:
    """Return the settings of a file of chosen settings. Raises InputError as `read_json`."""
    settings = read_json(path, dict)["settings"]
    if not isinstance(settings, dict):
        raise InputError(path, "its settings are no object", remedy="make the file again")
    return settings


DEEPEST = 500  # levels of a YAML file
WRITE = "write `name: value` lines, with text in quotes where it has other signs than letters and digits"
# Tags of values that JSON lacks, so that no configuration can be recorded with them.
ODD_TAGS = tuple(f"tag:yaml.org,2002:{name}" for name in ("binary", "set", "omap", "pairs"))
MOST_VALUES = 10**6  # of a YAML file, with each alias written out


def read_yaml(path: str | Path) -> dict[str, Any]:
    """Return the mapping of a YAML file, {} for an empty file. Raises InputError, with the line, for anything else, for
    a key that is given twice, and for aliases that multiply.
    """
    text = "".join(f"{line}\n" for line in decoded_lines(path))
    try:
        if _depth(text) > DEEPEST:
            raise InputError(path, "nested too deeply", remedy=WRITE)
        content = _load(text, Loader)
    except (yaml.YAMLError, RecursionError, ValueError):
        try:  # Python's parser has the better error messages, libyaml is ten times as fast
            content = _load(text, PlainLoader)
        except yaml.YAMLError as error:
            mark = getattr(error, "problem_mark", None)
            problem = getattr(error, "problem", None) or error
            line = mark.line + 1 if mark else 1 + text[: getattr(error, "position", 0)].count("\n")
            told = str(problem).partition("\n")[0]
            raise InputError(path, f"not YAML: {told}", line=line, remedy=WRITE) from None
        except ValueError as error:  # of dates and numbers that are none
            raise InputError(path, f"not YAML: {error}", remedy=WRITE) from None
        except RecursionError:
            raise InputError(path, "nested too deeply", remedy=WRITE) from None
    if content is not None and not isinstance(content, dict):
        raise InputError(path, "must hold a mapping of keys to values: `name: value` lines")
    return content or {}


class _Checked:
    """A part of loaders: it refuses keys that are given twice, and ODD_TAGS."""

    yaml_constructors = {  # noqa: RUF012
        tag: make for tag, make in yaml.SafeLoader.yaml_constructors.items() if tag not in ODD_TAGS
    }

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        first: dict[str, yaml.Node] = {}
        for key, _ in node.value:
            if isinstance(key, yaml.ScalarNode) and (before := first.setdefault(key.value, key)) is not key:
                raise yaml.MarkedYAMLError(
                    problem=f"the key {key.value!r} stands in line {before.start_mark.line + 1} too",
                    problem_mark=key.start_mark,
                )
        return super().construct_mapping(node, deep)


class Loader(_Checked, getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
    """The fast parser."""


class PlainLoader(_Checked, yaml.SafeLoader):
    """Python's parser."""


def _depth(text: str) -> int:
    """Return how deep a text nests, 0 if hardly anything opens: libyaml crashes where it nests too deeply."""
    if sum(map(text.count, ("[", "{", "- ", "? "))) <= DEEPEST:
        return 0
    depth = deepest = 0
    for event in yaml.parse(text, Loader):
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        deepest = max(deepest, depth)
    return deepest


def _load(text: str, kind: type[Loader | PlainLoader]) -> Any:
    loader = kind(text)
    try:
        node = loader.get_single_node()
        if node is None:
            return None
        if _values(node, {}) > MOST_VALUES:
            raise yaml.MarkedYAMLError(
                problem=f"its aliases make more than {MOST_VALUES:,} values", problem_mark=node.start_mark
            )
        return loader.construct_document(node)
    finally:
        loader.dispose()


def key_lines(path: str | Path) -> dict[tuple[str, ...], int]:
    """Return the line of every key and list entry of a readable YAML file, by the keys that lead there."""
    node = yaml.compose("".join(f"{line}\n" for line in decoded_lines(path)), Loader)
    return dict(_lines(node, ())) if node else {}


def _lines(node: yaml.Node, way: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], int]]:
    entries: Iterable[tuple[str, yaml.Node, yaml.Node]] = ()
    if isinstance(node, yaml.MappingNode):
        entries = ((str(key.value), key, value) for key, value in node.value)
    elif isinstance(node, yaml.SequenceNode):
        entries = ((str(place), value, value) for place, value in enumerate(node.value))
    for name, at, value in entries:
        yield (*way, name), at.start_mark.line + 1
        yield from _lines(value, (*way, name))


def _values(node: yaml.Node, known: dict[int, int]) -> int:
    """Return how many values a node holds, with each alias written out; one that holds itself has too many."""
    if id(node) not in known:
        known[id(node)] = MOST_VALUES + 1
        inner = node.value if isinstance(node, yaml.CollectionNode) else ()
        parts = [part for entry in inner for part in (entry if isinstance(entry, tuple) else (entry,))]
        known[id(node)] = 1 + sum(_values(part, known) for part in parts)
    return known[id(node)]
