"""Checked names of users: an error says where the name stands, the legal names, and the closest one."""

import difflib
from collections.abc import Collection, Iterable, Mapping
from importlib import import_module
from types import ModuleType
from typing import Any

from crosslingua.errors import ConfigError


def did_you_mean(name: object, legal: Iterable[str]) -> str:
    """Return `; did you mean 'x'?` with the legal name closest to `name`; "" where none is close."""
    close = difflib.get_close_matches(str(name), list(legal), n=1)
    return f"; did you mean {close[0]!r}?" if close else ""


def check_defined(key: str, names: str | Iterable[str], legal: Collection[str], where: str) -> None:
    """Raise ConfigError for the first of `names`, at configuration key `key`, that `where` does not define."""
    for name in [names] if isinstance(names, str) else names:
        if name not in legal:
            listed = ", ".join(legal) or "nothing is"
            hint = did_you_mean(name, legal)
            raise ConfigError(f"{key}: {name!r} is not defined under {where} ({listed}){hint}")


def check_given(key: str, entry: Mapping[str, Any], name: str, why: str) -> None:
    """Raise ConfigError where the entry at `key` lacks the key `name`; `why` gives the reason."""
    if name not in entry:
        raise ConfigError(f"{key}: the key {name!r} is missing ({why})")


def optional(module: str, extra: str, what: str) -> ModuleType:
    """Return `module` for `what`; ConfigError names the extra to install where it is missing."""
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        raise ConfigError(
            f"{what}: the package {error.name} is not installed: pip install 'crosslingua[{extra}]'"
        ) from None
