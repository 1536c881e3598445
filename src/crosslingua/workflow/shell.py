"""Command-line options from values, quoted: what a configuration holds is data, which no shell ever runs."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import Any


def options(values: Mapping[str, Any]) -> str:
    """Return command-line options: {"dim": 64} becomes --dim=64; true is a bare flag, false and null nothing."""
    parts: list[str] = []
    for name, value in values.items():
        flag = f"--{name.replace('_', '-')}"
        if value is True:
            parts.append(flag)
        elif isinstance(value, (list, tuple)):
            parts += [flag, *(shlex.quote(no_flag(str(one))) for one in value)] if value else []
        elif value is not False and value is not None:
            parts.append(shlex.quote(f"{flag}={value}"))
    return " ".join(parts)


def no_flag(word: str) -> str:
    """Return a word that no script takes for an option: of all words, only paths begin with a dash."""
    return f"./{word}" if word.startswith("-") else word


def settings_words(settings: Mapping[str, Any] | None) -> list[str]:
    """Return the values of `--set`: name=value, booleans as they are written in YAML; null takes a setting out.

    Of a list, which is a grid, all values: name=value,value.
    """
    return [f"{name}={_word(value)}" for name, value in (settings or {}).items() if value is not None]


def _word(value: Any) -> str:
    if isinstance(value, list):
        return ",".join(map(_word, value))
    return str(value).lower() if isinstance(value, bool) else str(value)
