"""A registry for each family, from the name to the member, which is imported on first use."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from crosslingua.errors import ConfigError, did_you_mean


@dataclass(frozen=True)
class Member:
    """The place of a member, `package.module:attribute`, and its properties before the import."""

    target: str
    needs: tuple[str, ...] = ()  # required inputs in the family's words, such as `dictionary`
    settings: str = ""  # the place of its settings, if it is not itself their class


class Registry(Mapping[str, Any]):
    """Maps names to members given as `Member` or its `target`, imported on first use: a script loads only these."""

    def __init__(self, family: str, members: Mapping[str, str | Member]):
        self.family = family
        self._members = {name: Member(m) if isinstance(m, str) else m for name, m in members.items()}

    def __getitem__(self, name: str) -> Any:
        return _at(self.member(name).target)

    def member(self, name: str) -> Member:
        """Return the record of `name`, without importing it; ConfigError with the closest legal name if unknown."""
        if name not in self._members:
            members, hint = ", ".join(self._members), did_you_mean(name, self._members)
            raise ConfigError(f"unknown {self.family} {name!r}: the members are {members}{hint}")
        return self._members[name]

    def module(self, name: str) -> str:
        """Return the dotted name of the module that defines `name`, without importing it."""
        return self.member(name).target.partition(":")[0]

    def needs(self, name: str) -> tuple[str, ...]:
        """Return the required inputs of `name`, without importing it."""
        return self.member(name).needs

    def settings(self, name: str) -> type:
        """Return the class of the settings of `name`."""
        return _at(self.member(name).settings or self.member(name).target)

    def __contains__(self, name: object) -> bool:
        return name in self._members

    def __iter__(self) -> Iterator[str]:
        return iter(self._members)

    def __len__(self) -> int:
        return len(self._members)


def _at(place: str) -> Any:
    module, _, attribute = place.partition(":")
    return getattr(import_module(module), attribute)
