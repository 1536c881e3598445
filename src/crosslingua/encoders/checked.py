"""Settings that refuse values of a wrong type or out of range."""

import dataclasses
from collections.abc import Mapping
from functools import cache
from typing import Any, ClassVar, get_type_hints

from crosslingua.errors import ConfigError


class Checked:
    """A base of dataclasses, which name the fields that are limited; ConfigError says which is wrong, and how."""

    choices: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    positive: ClassVar[tuple[str, ...]] = ()
    not_negative: ClassVar[tuple[str, ...]] = ()
    shares: ClassVar[tuple[str, ...]] = ()  # at most 1

    def __post_init__(self) -> None:
        self._check_types()
        for name, choices in self.choices.items():
            if getattr(self, name) not in choices:
                raise ConfigError(f"{name} is {getattr(self, name)!r}: say {' or '.join(choices)}")
        self._check(self.positive, lambda value: value > 0, "above 0")
        self._check(self.not_negative, lambda value: value >= 0, "0 or more")
        self._check(self.shares, lambda value: value <= 1, "at most 1")

    def _check_types(self) -> None:
        for name, kind in types_of(type(self)).items():
            value, wanted = getattr(self, name), (int, float) if kind is float else kind
            if not isinstance(value, wanted) or (kind is not bool and isinstance(value, bool)):
                raise ConfigError(f"{name} is {value!r}: must be of type {kind.__name__}")

    def _check(self, names: tuple[str, ...], fits: Any, words: str) -> None:
        for name in names:
            if not fits(getattr(self, name)):
                raise ConfigError(f"{name} is {getattr(self, name)}: must be {words}")


@cache
def types_of(settings: type) -> dict[str, type]:
    """Return the type of each field of a dataclass."""
    hints = get_type_hints(settings)
    return {field.name: hints[field.name] for field in dataclasses.fields(settings)}
