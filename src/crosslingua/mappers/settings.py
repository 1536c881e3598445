"""A mapper from its name and settings given as text, as on a command line: `{"niter": "20", "inner.lr": "25"}`."""

from collections.abc import Mapping
from typing import Any

from crosslingua.mappers import MAPPERS
from crosslingua.mappers.mapper import Mapper
from crosslingua.settings import parse_settings, read

__all__ = ["build", "parse_settings"]
INNER = "inner."  # what the settings of a wrapped mapper begin with


def build(name: str, settings: Mapping[str, Any] | None = None) -> Mapper:
    """Return the mapper `name` with `settings` in place of its defaults; `inner.lr` is a wrapped mapper's.

    Raises ConfigError for an unknown mapper, and as `crosslingua.settings.read`.
    """
    given = dict(settings or {})
    inner = {
        key: given.pop(key) for key in list(given) if key.startswith(INNER) and MAPPERS.member(name).inner
    }
    parts = (
        {"inner_settings": {key.removeprefix(INNER): value for key, value in inner.items()}} if inner else {}
    )
    return read(MAPPERS[name], f"mapper {name}", given, **parts)
