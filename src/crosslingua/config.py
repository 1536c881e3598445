"""Files of users checked against a schema; configurations merged; errors with file, line, key and legal values."""

import hashlib
import json
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


def place(way: Sequence[str], config: Mapping[str, Any], files: Sequence[str | Path]) -> str:
    """Return `file:line: ` of the last file with the key at `way` or the closest key above. Without files return "",
    and `--config ` for a value that is in no file.
    """
    told: Mapping[str, Any] = {}
    for file in files:
        told = merged(told, read_yaml(file))
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
