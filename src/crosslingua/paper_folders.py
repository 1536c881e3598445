"""The papers are folders of `crosslingua.papers`, and packages that installed packages name by entry points of this
group; their files are loaded by name.
"""

import pkgutil
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from crosslingua.errors import ConfigError, did_you_mean

if TYPE_CHECKING:
    from crosslingua.workflow.paper import Paper

PACKAGE = "crosslingua.papers"
FOLDER = Path(__file__).with_name("papers")
# Optional files of a paper; tables.py may hold their content.
IN_TABLES = ("figures", "claims")


@cache
def _packages() -> dict[str, str]:
    """Return the package of each paper, by name. ConfigError where another package's paper has the name of one."""
    own = {
        found.name: f"{PACKAGE}.{found.name}" for found in pkgutil.iter_modules([str(FOLDER)]) if found.ispkg
    }
    for point in entry_points(group=PACKAGE):
        if point.name in own:
            raise ConfigError(f"paper {point.name!r} ({point.value}) has the name of another: uninstall it")
        own[point.name] = point.value
    return dict(sorted(own.items()))


def names() -> tuple[str, ...]:
    """Return the names of all papers."""
    return tuple(_packages())


def module_name(paper: str, part: str = "") -> str | None:
    """Return the dotted name of a paper's package or of a file in it, None without it; ConfigError for no paper."""
    if paper not in names():
        hint = did_you_mean(paper, names())
        raise ConfigError(f"unknown paper {paper!r}: the papers are {', '.join(names())}{hint}")
    name = ".".join(filter(None, (_packages()[paper], part)))
    if find_spec(name):
        return name
    return module_name(paper, "tables") if part in IN_TABLES else None


def load(paper: str, part: str = "") -> ModuleType | None:
    """Import a paper's package, or a file in it; None without this file."""
    name = module_name(paper, part)
    return import_module(name) if name else None


def paper(name: str) -> "type[Paper[Any]]":
    """Return the class of a paper, `PAPER` of its experiments.py."""
    module = load(name, "experiments")
    return module.PAPER
