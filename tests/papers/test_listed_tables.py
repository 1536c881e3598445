"""Every table of a paper is found from its tables.py."""

import pkgutil
from collections.abc import Iterator, Mapping
from importlib import import_module

import pytest

from crosslingua import paper_folders
from crosslingua.report.tables import Table


def tables_of(paper: str) -> Iterator[Table]:
    """Yield the tables of all files of a paper that are not its configuration's side."""
    for found in pkgutil.iter_modules(paper_folders.load(paper).__path__):
        for value in vars(import_module(f"crosslingua.papers.{paper}.{found.name}")).values():
            several = value.values() if isinstance(value, Mapping) else [value]
            yield from (one for one in several if isinstance(one, Table))


@pytest.mark.parametrize("paper", paper_folders.names())
def test_every_table_of_a_paper_is_listed_in_its_tables(paper: str) -> None:
    listed = list(paper_folders.load(paper, "tables").TABLES.values())
    assert listed
    assert [table.title for table in tables_of(paper) if table not in listed] == []
