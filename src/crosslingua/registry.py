"""A registry for each family, from the name to the member, which is imported on first use.

Installed packages add members by entry points of the family's group, such as `crosslingua.mappers`.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any

from crosslingua.errors import ConfigError, did_you_mean


@dataclass(frozen=True)
class Member:
    """The place of a member, `package.module:attribute`, and its properties before the import."""

    target: str
    needs: tuple[str, ...] = ()  # required inputs in the family's words, such as `dictionary`
    settings: str = ""  # the place of its settings, if it is not itself their class


class Registry(Mapping[str, Any]):
    """Maps names to members given as `Member` or its `target`, imported on first use: a script loads only these.

    `group` is that of the entry points by which other packages add members.
    """

    def __init__(self, family: str, members: Mapping[str, str | Member], group: str = ""):
        self.family, self._group = family, group
        self._own = {name: Member(m) if isinstance(m, str) else m for name, m in members.items()}

    @cached_property
    def _members(self) -> dict[str, Member]:
        """The own members, then those of other packages. ConfigError where one has the name of another."""
        found = dict(self._own)
        for point in entry_points(group=self._group) if self._group else ():
            if point.name in found:
                by = f" of {point.dist.name}" if point.dist else ""
                raise ConfigError(
                    f"{self.family} {point.name!r}{by} ({point.value}) has the name of another: uninstall it"
                )
            found[point.name] = self._outside(point.value)
        return found

    def _outside(self, target: str) -> Member:
        """Return the record of another package's member."""
        return Member(target)

    def __getitem__(self, name: str) -> Any:
        return at(self.member(name).target)

    def member(self, name: str) -> Member:
        """Return the record of `name`, without importing it; ConfigError with the closest legal name if unknown."""
        if name in self._own:
            return self._own[name]
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
        return at(self.member(name).settings or self.member(name).target)

    def __contains__(self, name: object) -> bool:
        return name in self._own or name in self._members

    def __iter__(self) -> Iterator[str]:
        return iter(self._members)

    def __len__(self) -> int:
        return len(self._members)


def at(place: str) -> Any:
    """Return what stands at `package.module:attribute`."""
    module, _, attribute = place.partition(":")
    return getattr(import_module(module), attribute)
