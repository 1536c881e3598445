"""Members of a family from settings given as text, as on a command line: `{"niter": "20"}`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import MISSING, fields
from typing import Any, TypeVar, get_type_hints

from crosslingua.errors import ConfigError
from crosslingua.names import did_you_mean

Made = TypeVar("Made")


def parse_settings(options: Iterable[str]) -> dict[str, str]:
    """Return `{"niter": "20"}` for `["niter=20"]`; raises ConfigError for an option without "="."""
    settings = {}
    for option in options:
        name, equals, value = option.partition("=")
        if not equals:
            raise ConfigError(f"setting {option!r}: write name=value, e.g. niter=20")
        settings[name] = value
    return settings


def unknown_setting(owner: str, key: str, known: Iterable[str]) -> ConfigError:
    """Return the error for a `key` that is none of the settings that `owner` has."""
    known = list(known)
    hint = did_you_mean(key, known)
    return ConfigError(f"{owner} has no setting {key!r}: it has {', '.join(known) or 'none'}{hint}")


def read_setting(key: str, value: Any, kind: type) -> Any:
    """Return `value`, which may be text, as `kind`; raises ConfigError if it is none."""
    if kind is bool:
        words = {"true": True, "false": False}
        if str(value).lower() not in words:
            raise ConfigError(f"{key}={value}: must be true or false")
        return words[str(value).lower()]
    if kind is int and isinstance(value, float):
        raise ConfigError(f"{key}={value}: must be a whole number")
    if kind not in (int, float, str):
        return value
    try:
        return kind(value)
    except ValueError:
        raise ConfigError(f"{key}={value}: must be a {'whole ' if kind is int else ''}number") from None


def from_options(kind: type[Made], options: Iterable[str], owner: str) -> Made:
    """Return a dataclass made of settings `name=value`; `owner` is whose they are, for errors.

    Raises ConfigError for a setting that it does not have, an ill-typed value, and one without a default that is not
    given.
    """
    given, types = parse_settings(options), get_type_hints(kind)
    known = fields(kind)
    for name in given:
        if name not in {each.name for each in known}:
            raise unknown_setting(owner, name, [each.name for each in known])
    for each in known:
        if each.name not in given and each.default is MISSING:
            raise ConfigError(f"{owner} needs the setting {each.name}=...")
    return kind(**{name: read_setting(name, value, types[name]) for name, value in given.items()})
