"""A word aligner from its name, settings given as text, and, for those that need them, vectors."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, get_type_hints

from crosslingua.errors import ConfigError
from crosslingua.settings import read_setting, unknown_setting
from crosslingua.word_aligners import ALIGNERS

if TYPE_CHECKING:  # else torch would be there before --threads is read
    from crosslingua.word_aligners.encoding import UnitEmbedding


def needs_vectors(name: str) -> bool:
    """Whether the word aligner `name` works on an embedding; the others learn from the text that they align."""
    return any(field.name == "embed" for field in dataclasses.fields(ALIGNERS[name]))


def describe_settings(names: Iterable[str] = ALIGNERS) -> str:
    """Return the settings of word aligners as text: `name=default` with unit or meaning, a line each."""
    lines = ["settings (--set NAME=VALUE ...) and their defaults:"]
    for name in names:
        member = ALIGNERS[name]
        hints = get_type_hints(member, include_extras=True)
        lines += ["", f"  {name}"]
        for field in dataclasses.fields(member):
            if field.name != "embed":
                default = str(field.default).lower() if isinstance(field.default, bool) else field.default
                meaning = getattr(hints[field.name], "__metadata__", [""])[0]  # of Annotated
                lines.append(f"    {f'{field.name}={default}':<37} {meaning}".rstrip())
    return "\n".join(lines)


def build(name: str, settings: Mapping[str, Any] | None = None, embed: UnitEmbedding | None = None) -> Any:
    """Return the word aligner `name` with `settings` in place of its defaults.

    Text is read as the field's type. Raises ConfigError for an unknown aligner or setting, for a value that is
    not of the setting's type or out of its range, and for vectors missing.
    """
    member = ALIGNERS[name]
    given: dict[str, Any] = {}
    if needs_vectors(name):
        if embed is None:
            raise ConfigError(f"{name} needs vectors: give an encoder, or source and target vectors")
        given["embed"] = embed
    hints = get_type_hints(member)
    types = {field.name: hints[field.name] for field in dataclasses.fields(member) if field.name != "embed"}
    for key, value in (settings or {}).items():
        if key not in types:
            raise unknown_setting(f"word aligner {name}", key, types)
        given[key] = read_setting(f"{name}.{key}", value, types[key])
    return member(**given)
