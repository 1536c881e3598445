"""Check a workflow configuration against its schema; an error names the key and its legal values."""

import hashlib
import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError

from crosslingua.errors import ConfigError, did_you_mean
from crosslingua.io.json import read_json, read_yaml


@cache
def load_schema(path: str | Path) -> dict[str, Any]:
    """Read a JSON schema written in YAML or JSON."""
    return read_json(path) if str(path).endswith(".json") else read_yaml(path)


# JSON schema's types in the words of YAML.
TYPES = {
    "array": "a list [a, b]",
    "object": "keys with values {a: b}",
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "null": "null",
}


def check(config: Mapping[str, Any], schema: Mapping[str, Any]) -> None:
    """Raise ConfigError listing every unknown, missing, ill-typed or illegal key of `config`."""
    errors = sorted(Draft202012Validator(schema).iter_errors(config), key=lambda error: list(error.path))
    if errors:
        lines = dict.fromkeys(line for error in errors for line in _explain(_deepest(error)))
        raise ConfigError("the configuration is not valid:\n" + "\n".join(f"  - {line}" for line in lines))


def _deepest(error: ValidationError) -> ValidationError:
    """Return the error of the alternative of an anyOf/oneOf that got furthest, which the user probably meant."""
    while error.context:
        error = max(error.context, key=lambda e: (len(e.absolute_path), e.validator != "type"))
    return error


def _explain(error: ValidationError) -> list[str]:
    key = ".".join(str(part) for part in error.absolute_path) or "(top level)"
    if error.validator == "additionalProperties":
        legal = list(error.schema.get("properties", {}))
        unknown = [name for name in error.instance if name not in legal]
        inside = "" if key == "(top level)" else f"{key}."
        listed = ", ".join(sorted(legal))
        return [
            f"unknown key {inside}{name}; allowed here: {listed}{did_you_mean(name, legal)}"
            for name in unknown
        ]
    if error.validator == "required":
        missing = [name for name in error.validator_value if name not in error.instance]
        return [f"{key}: the key {name!r} is missing" for name in missing]
    fault = error.message
    if error.validator == "enum":
        legal = ", ".join(map(repr, error.validator_value))
        fault = f"{error.instance!r} is not allowed; choose one of {legal}"
    elif error.validator == "type":
        kinds = error.validator_value
        legal = " or ".join(TYPES[kind] for kind in ([kinds] if isinstance(kinds, str) else kinds))
        fault = f"{error.instance!r} has the wrong type; allowed: {legal}"
    elif error.validator == "pattern" and "description" in error.schema:
        fault = f"{error.instance!r} does not match: {error.schema['description']}"
    return [f"{key}: {fault}"]


def digest(*values: Any) -> str:
    """Return 12 hex digits that identify JSON-able values, whatever the order of mapping keys."""
    text = json.dumps(values, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:12]
