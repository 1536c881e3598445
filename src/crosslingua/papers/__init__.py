"""The papers, a folder each: every package here that has a `TITLE` is one, in the order of `papers` in a configuration.

What a folder holds, each file but the first two optional:

    __init__.py   TITLE and AUTHORS
    cells.py      what the paper asks for, as functions of the configuration: encoders, fine-tunings, cells, drawings
    tables.py     TABLES: {name: Table}, from metrics rows to grids
    figures.py    FIGURES: {kind: Figure}, from result files to pictures
    page.py       section(): what the results page shows besides
    claims.py     evidence(): from scored cells to what its statements are tested on
    schema.yaml   the schema of its section of the configuration

A paper knows the families, no family knows a paper, and no paper knows another.
"""

from __future__ import annotations

import pkgutil
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType

from crosslingua.errors import ConfigError
from crosslingua.names import did_you_mean


@cache
def names() -> tuple[str, ...]:
    """Return the names of all papers."""
    return tuple(sorted(found.name for found in pkgutil.iter_modules(__path__) if found.ispkg))


def module_name(paper: str, part: str = "") -> str | None:
    """Return the dotted name of a paper's package or of a file of it; None where it has none of that name.

    Raises ConfigError for an unknown paper.
    """
    if paper not in names():
        hint = did_you_mean(paper, names())
        raise ConfigError(f"unknown paper {paper!r}: the papers are {', '.join(names())}{hint}")
    name = f"{__name__}.{paper}.{part}" if part else f"{__name__}.{paper}"
    return name if find_spec(name) else None


def load(paper: str, part: str = "") -> ModuleType | None:
    """Import a paper's package, or a file of it; None where it has none of that name."""
    name = module_name(paper, part)
    return import_module(name) if name else None
