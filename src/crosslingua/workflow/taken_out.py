"""Nulls that take something out of a map, such as a system: it must be there, or the one that was meant would stay."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from crosslingua.errors import ConfigError
from crosslingua.io.yaml import read_yaml
from crosslingua.names import did_you_mean

Config = Mapping[str, Any]


def check_taken_out(config: Config, files: Sequence[str | Path], schema: Config) -> None:
    """Raise ConfigError for a null whose name is in none of the files before; `config`: what they and --config give."""
    before: Config = {}
    for place, own in [*((str(file), read_yaml(file)) for file in files), ("--config", config)]:
        _check(place, own, before, schema, ())
        before = _merged(before, own)


def _check(place: str, own: Config, before: Config, schema: Config, way: tuple[str, ...]) -> None:
    """Check a map and those in it. Names that a user chooses have `propertyNames`; other nulls are values."""
    for name, value in own.items():
        if value is None and name not in before and "propertyNames" in schema:
            raise ConfigError(
                f"{place}: {'.'.join((*way, name))}: null takes out what is there, and there is no {name!r}"
                f" ({', '.join(before) or 'nothing is'}){did_you_mean(name, before)}"
            )
        if isinstance(value, Mapping) and isinstance(before.get(name), Mapping):
            inner = schema.get("properties", {}).get(name) or schema.get("additionalProperties") or {}
            _check(place, value, before[name], inner, (*way, name))


def _merged(before: Config, own: Config) -> dict[str, Any]:
    """Return one map over another, as Snakemake merges configuration files."""
    merged = dict(before)
    for name, value in own.items():
        both = isinstance(value, Mapping) and isinstance(before.get(name), Mapping)
        merged[name] = _merged(before[name], value) if both else value
    return merged
