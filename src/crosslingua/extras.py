"""Packages that only some users need: extras of the installation, imported when they are used."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

from crosslingua.errors import ConfigError


def optional(module: str, extra: str, what: str) -> ModuleType:
    """Return `module` for `what`; ConfigError says which extra to install where it is missing."""
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        raise ConfigError(
            f"{what}: the package {error.name} is not installed: pip install 'crosslingua[{extra}]'"
        ) from None
