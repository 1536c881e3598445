"""Files of users checked against a schema; configurations merged; errors with file, line, key and legal values."""

import hashlib
import json
import os
import re
from collections.abc import Collection, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError

from crosslingua.errors import JSON_TYPES, ConfigError, did_you_mean
from crosslingua.io.json import key_lines, read_yaml

load_schema = cache(read_yaml)


def check_files(files: Sequence[str | Path], option: str) -> None:
    """Raise ConfigError or InputError for a configuration that is missing, empty or no YAML; `option` named it."""
    for file in files:
        if not Path(file).is_file():
            raise ConfigError(f"{option}{file} is no file: say {option}mine.yaml")
        if not read_yaml(file):
            raise ConfigError(f"{option}{file} is empty: write scale, pairs, languages")


# The patterns of the configuration in words.
NAME, PAIR = "^[a-z0-9][a-z0-9_]*$", "[a-z0-9_]+-[a-z0-9_]+([.][a-z0-9_]+)?"
PART = "^[1-9][0-9]{0,8}/[1-9][0-9]{0,8}$"
OF_SOURCE = "^([a-z0-9]|[{]source[}])[a-z0-9_]*$"
FORMS = {
    NAME: "lower-case letters, digits and _",
    OF_SOURCE: "lower-case letters, digits and _, or {source} for the source language of the first of `pairs`",
    PART: "K/N, as 1/4",
    f"^{PAIR}$": "source-target, or source-target.what",
    f"^(pairs|{PAIR})$": "source-target, or `pairs`",
    "^world(_[a-z0-9]+)?$": "world, or world_what",
    "^[a-z0-9_]*[{]language[}][a-z0-9_]*$": "a name with {language} in place of the language",
}
MISSING = object()


def check(config: Mapping[str, Any], schema: Mapping[str, Any], files: Sequence[str | Path] = ()) -> None:
    """Raise ConfigError listing all that a file of users has against its schema, with its line."""
    errors = sorted(Draft202012Validator(schema).iter_errors(config), key=lambda error: list(error.path))
    refuse([one for error in errors for one in _explain(error)], config, files)


def refuse(
    told: Sequence[tuple[Sequence[str], str]], config: Mapping[str, Any], files: Sequence[str | Path]
) -> None:
    """Raise ConfigError of all that is told of places in `config`, if anything is, with file and line."""
    if told:
        lines = dict.fromkeys(f"{place(way, config, files)}{line}" for way, line in told)
        raise ConfigError("the configuration is not valid:\n" + "\n".join(f"  - {line}" for line in lines))


def merged(before: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """Return a configuration with another over it."""
    made = dict(before)
    for name, value in own.items():
        both = isinstance(value, Mapping) and isinstance(before.get(name), Mapping)
        made[name] = merged(before[name], value) if both else value
    return made


# Keys of files; `*` is any name. Beside them, `data.folder` is, as results are, relative to where the user stands.
PATHS = (
    ("world", "languages"), ("data", "mirror"), ("data", "sheets"), ("data", "user_supplied", "*"),
    ("languages", "*", "path"), ("dictionaries", "train"), ("dictionaries", "test"),
    ("encoders", "multilingual", "members", "*", "pretrained"),
)  # fmt: skip
NO_PATH = re.compile(r"[a-z]{2,}:")  # an address, or a file of a package


def read_configuration(file: str | Path, files: Sequence[str | Path]) -> dict[str, Any]:
    """Return the configuration of one of `files`, the defaults first. A path in it is relative to the file, or names a
    file of the suite, which lies beside the defaults. Raises InputError as `read_yaml`.
    """
    folders = [Path(one).parent for one in (file, files[0])]
    return {name: _found(own, (name,), folders) for name, own in read_yaml(file).items()}


def _found(value: Any, way: tuple[str, ...], folders: Sequence[Path]) -> Any:
    ways = [keys for keys in PATHS if all(key in ("*", name) for key, name in zip(keys, way, strict=False))]
    if isinstance(value, Mapping) and ways:
        return {name: _found(own, (*way, str(name)), folders) for name, own in value.items()}
    if len(way) not in map(len, ways):
        return value
    if isinstance(value, list):
        return [_found(own, way, folders) for own in value]
    return found_beside(value, *folders, hub=way[-1] == "pretrained") if isinstance(value, str) else value


def found_beside(path: str, *folders: Path, hub: bool = False) -> str:
    """Return the path of what lies in one of these folders; by default, in the first. It is relative to this folder if
    it lies below. What is no relative path stays as it is, and what is nowhere but may be of a model `hub`.
    """
    if not path or NO_PATH.match(path) or Path(path).is_absolute():
        return path
    here = Path.cwd()
    every = [os.path.normpath(here / folder / path) for folder in folders]
    there = next(filter(os.path.exists, every), path if hub else every[0])
    return path if there == os.path.normpath(here / path) else there.removeprefix(f"{here}/")


def at_their_place(config: Mapping[str, Any], files: Sequence[str | Path]) -> dict[str, Any]:
    """Return a configuration that is merged from `files`, with the paths that these name as `read_configuration`
    returns them; paths of --config stay.
    """
    written: Mapping[str, Any] = {}
    placed: Mapping[str, Any] = {}
    for file in files:
        written, placed = merged(written, read_yaml(file)), merged(placed, read_configuration(file, files))
    return _replaced(config, written, placed)


def _replaced(value: Any, written: Any, placed: Any) -> Any:
    if isinstance(value, Mapping) and isinstance(written, Mapping):
        return {
            name: _replaced(own, written[name], placed[name]) if name in written else own
            for name, own in value.items()
        }
    return placed if value == written else value


def place(way: Sequence[str], config: Mapping[str, Any], files: Sequence[str | Path]) -> str:
    """Return `file:line: ` of the last file with the key at `way` or the closest key above. Without files return "",
    and `--config ` for a value that is in no file.
    """
    told: Mapping[str, Any] = {}
    for file in files:
        told = merged(told, read_configuration(file, files))
    if files and not _same(value_at(config, way), value_at(told, way)):
        return "--config "
    known = [(file, key_lines(file)) for file in reversed(files)]
    for end in range(len(way), 0, -1):
        for file, lines in known:
            if line := lines.get(tuple(way[:end])):
                here = Path(file).is_relative_to(Path.cwd())
                return f"{Path(file).relative_to(Path.cwd()) if here else file}:{line}: "
    return ""


def value_at(config: Any, way: Sequence[str]) -> Any:
    """Return the value at the end of a way of keys, MISSING where there is none."""
    for name in way:
        if isinstance(config, list):
            config = dict(enumerate(config))
        keys = {str(key): key for key in config} if isinstance(config, Mapping) else {}
        if name not in keys:
            return MISSING
        config = config[keys[name]]
    return config


def _same(given: Any, told: Any) -> bool:
    """Whether a value equals the files' value; text may have become a number."""
    both = given, told
    if all(isinstance(one, Mapping) for one in both):
        return True
    if all(isinstance(one, list) for one in both) and len(given) == len(told):
        return all(map(_same, given, told))
    spelled = isinstance(told, str) and not isinstance(given, (str, list, Mapping))
    both_nan = given != given and told != told
    return given == told or spelled or both_nan


def _explain(error: ValidationError) -> list[tuple[list[str], str]]:
    """Return (way to the key, explanation) of each mistake, of alternatives that of the one which got furthest."""
    while error.context:
        error = max(error.context, key=lambda e: (len(e.absolute_path), e.validator != "type"))
    way = [str(part) for part in error.absolute_path]
    if error.validator == "additionalProperties":
        legal = list(error.schema.get("properties", {}))
        unknown = [[*way, str(name)] for name in error.instance if name not in legal]
        return [(at, unknown_told(at, legal)) for at in unknown]
    if error.validator == "enum":
        told = f"{'.'.join(way)}: {error.instance!r} is not allowed; choose one of"
        choices = ", ".join(map(repr, error.validator_value))
        legal = [str(value) for value in error.validator_value]
        return [(way, f"{told} {choices}{did_you_mean(str(error.instance), legal)}")]
    kinds = error.validator_value if error.validator == "type" else []
    words = " or ".join(JSON_TYPES.get(kind, kind) for kind in ([kinds] if isinstance(kinds, str) else kinds))
    allowed = f"; allowed: {words}" if words else ""
    return [(way, f"{'.'.join(way) or '(top level)'}: {error.message}{allowed}")]


def unknown_told(way: Sequence[str], legal: Collection[str]) -> str:
    """Say that a key is none of the legal ones."""
    return (
        f"unknown key {'.'.join(way)}; allowed here: {', '.join(sorted(legal))}{did_you_mean(way[-1], legal)}"
    )


def digest(*values: Any) -> str:
    """Return 12 hex digits that identify JSON-able values, whatever the order of mapping keys."""
    text = json.dumps(values, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:12]
