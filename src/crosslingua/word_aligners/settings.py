"""A word aligner from its name, settings given as text, and, for those that need them, vectors."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from crosslingua.errors import ConfigError
from crosslingua.settings import read, settings_help
from crosslingua.word_aligners import ALIGNERS

if TYPE_CHECKING:  # else torch would be there before --threads is read
    from crosslingua.word_aligners.encoding import UnitEmbedding


def needs_vectors(name: str) -> bool:
    """Whether the word aligner `name` works on an embedding; the others learn from the text that they align."""
    return any(field.name == "embed" for field in dataclasses.fields(ALIGNERS[name]))


def describe_settings(names: Iterable[str] = ALIGNERS) -> str:
    """Return the settings of word aligners as text: each with its default, meaning and range."""
    parts = [f"{name} (--set NAME=VALUE ...):\n\n{settings_help(ALIGNERS[name])}" for name in names]
    return "\n\n".join(parts)


def build(name: str, settings: Mapping[str, Any] | None = None, embed: UnitEmbedding | None = None) -> Any:
    """Return the word aligner `name` with `settings` in place of its defaults.

    Raises ConfigError for an unknown aligner, for vectors missing, and as `crosslingua.settings.read`.
    """
    if not needs_vectors(name):
        return read(ALIGNERS[name], f"word aligner {name}", settings or {})
    if embed is None:
        raise ConfigError(f"{name} needs vectors: give an encoder, or source and target vectors")
    return read(ALIGNERS[name], f"word aligner {name}", settings or {}, embed=embed)
