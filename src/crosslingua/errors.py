"""Errors for the user, with the place and the remedy; and names that a user writes, checked."""

import difflib
import math
import re
from collections.abc import Collection, Iterable, Mapping
from functools import partial
from importlib import import_module
from os import PathLike
from types import ModuleType
from typing import Any


class CrosslinguaError(Exception):
    """Base of every error that the user can correct."""


class ConfigError(CrosslinguaError):
    """A configuration key or command-line value is unknown, ill-typed or out of range."""


class InputError(CrosslinguaError):
    """A malformed file: `path` and `line` (1-based) are the place, `message` the fault, `remedy` the correction."""

    def __init__(
        self, path: str | PathLike[str], message: str, *, line: int | None = None, remedy: str | None = None
    ):
        place = f"{path}:{line}" if line is not None else f"{path}"
        super().__init__(f"{place}: {message}" + (f" ({remedy})" if remedy else ""))
        self.path, self.line = str(path), line
        self.made_of = path, message, line, remedy

    def __reduce__(self) -> tuple:
        """Return what another process makes the error of."""
        path, message, line, remedy = self.made_of
        return partial(type(self), line=line, remedy=remedy), (path, message)


def check_finite(path: str | PathLike[str], weights: Mapping[str, Any]) -> None:
    """Raise InputError for weights, arrays or tensors by name, that hold NaN or infinity."""
    for name, values in weights.items():
        if not math.isfinite(values.sum()) and not bool((values - values == 0).all()):  # a sum may overflow
            raise InputError(
                path, f"{name} holds values that are no numbers", remedy="train it, or fetch it, again"
            )


# JSON schema's types in words.
JSON_TYPES = {
    "integer": "a whole number",
    "number": "a number",
    "string": "text",
    "boolean": "true or false",
    "null": "null",
}

# Checked names of users: an error says where the name stands, the legal names, and the closest one.


def did_you_mean(name: object, legal: Iterable[str]) -> str:
    """Return `; did you mean 'x'?` with the legal name closest to `name`; "" where none is close."""
    legal = list(legal)
    alike = [one for one in legal if plain(one) == plain(str(name))]
    close = alike or difflib.get_close_matches(str(name), legal, n=1)
    return f"; did you mean {close[0]!r}?" if close else ""


def plain(name: str) -> str:
    """Return a name in lower case, with `_` for other characters than letters and digits."""
    return re.sub("[^a-z0-9]+", "_", name.strip().lower())


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
