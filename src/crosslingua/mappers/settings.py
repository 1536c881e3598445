"""A mapper from its name and settings given as text, as on a command line: `{"niter": "20", "inner.lr":
"25"}`.
"""

import dataclasses
from collections.abc import Mapping
from typing import Any, get_type_hints

from crosslingua.mappers import MAPPERS
from crosslingua.mappers.mapper import Mapper
from crosslingua.settings import parse_settings, read_setting, unknown_setting

__all__ = ["build", "parse_settings"]


def build(name: str, settings: Mapping[str, Any] | None = None) -> Mapper:
    """Return the mapper `name` with `settings` in place of its defaults.

    Text is read as the field's type. `inner.field` sets a field of a wrapped mapper. Raises ConfigError for
    an unknown mapper or field, and for a value that is not of the field's type or out of its range.
    """
    member = MAPPERS[name]
    types = {field.name: get_type_hints(member)[field.name] for field in dataclasses.fields(member)}
    values: dict[str, Any] = {}
    for key, value in (settings or {}).items():
        head, dot, rest = key.partition(".")
        field = f"{head}_settings" if dot else head
        if field not in types:
            raise unknown_setting(f"mapper {name}", key, types)
        if dot:
            values.setdefault(field, {})[rest] = value
        else:
            values[field] = read_setting(f"{name}.{key}", value, types[field])
    return member(**values)
