"""Members of a family from settings given as text, as on a command line: `{"niter": "20"}`."""

import dataclasses
import inspect
import re
import textwrap
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, fields
from typing import Any, TypeVar, get_type_hints

from crosslingua.errors import ConfigError
from crosslingua.names import did_you_mean

Settings = TypeVar("Settings")


def parse_settings(options: Iterable[str]) -> dict[str, str]:
    """Return `{"niter": "20"}` for `["niter=20"]`; raises ConfigError for an option without "="."""
    settings = {}
    for option in options:
        name, equals, value = option.partition("=")
        if not equals:
            raise ConfigError(f"setting {option!r}: write name=value, e.g. niter=20")
        settings[name] = value
    return settings


def from_text(kind: type[Settings], owner: str, values: Mapping[str, Any]) -> Settings:
    """Return a dataclass of settings from text: `{"niter": "20"}`; its defaults stand where nothing is said.

    Raises ConfigError for a setting that it does not have, or a value that is not of the field's type.
    """
    hints = get_type_hints(kind)
    types = {field.name: hints[field.name] for field in fields(kind)}
    if unknown := [key for key in values if key not in types]:
        raise unknown_setting(owner, unknown[0], types)
    read = {key: read_setting(f"{owner}.{key}", value, types[key]) for key, value in values.items()}
    return kind(**read)


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


def from_options(kind: type[Settings], options: Iterable[str], owner: str) -> Settings:
    """Return a dataclass made of settings `name=value` (`from_text`); `owner` is whose they are, for errors.

    Raises ConfigError for one without a default that is not given, too.
    """
    given = parse_settings(options)
    for each in fields(kind):
        if each.name not in given and each.default is MISSING:
            raise ConfigError(f"{owner} needs the setting {each.name}=...")
    return from_text(kind, owner, given)


# The settings of a program for its --help: names and defaults from a dataclass, meanings from its docstring.


WIDTH = 100  # columns


def settings_help(settings: type) -> str:
    """Return each setting of a dataclass as `name=default` above what its docstring says of it.

    The docstring has a list, in which an item names its settings in backticks where it begins to speak of them;
    text outside the list is kept. Raises ValueError for a setting that the docstring does not name.
    """
    left = {name: word(value) for name, value in dataclasses.asdict(settings()).items()}
    lines = []
    for block in re.split(r"\n(?=- )|\n\n", inspect.cleandoc(settings.__doc__ or "")):
        text = " ".join(block.split())
        if not text.startswith("- "):
            lines += ["", *textwrap.wrap(text, WIDTH), ""]
            continue
        named = [name for name in dict.fromkeys(re.findall(r"`(\w+)", text)) if name in left]
        lines += textwrap.wrap(" ".join(f"{name}={left.pop(name)}" for name in named), WIDTH, initial_indent="  ",
                               subsequent_indent="  ")  # fmt: skip
        lines += textwrap.wrap(text[2:], WIDTH, initial_indent="      ", subsequent_indent="      ")
    if left:
        raise ValueError(f"{settings.__name__}: the docstring does not name {', '.join(left)}")
    return "\n".join(lines).strip()


def word(value: Any) -> str:
    """Return a value as it is written on a command line."""
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:g}" if isinstance(value, float) else str(value)
