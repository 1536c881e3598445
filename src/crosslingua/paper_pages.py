"""What the results page is told of a paper by the files of the paper's folder."""

from collections.abc import Mapping
from functools import partial
from types import MappingProxyType
from typing import Any

from crosslingua.paper_folders import load
from crosslingua.report.page import PagePaper


def paper_named(part: str, shown: Mapping[str, Any] = MappingProxyType({})) -> PagePaper:
    """Return what the page is told of a paper, by the files of its folder; only the first must be there."""
    name = part.partition(".")[0]
    package, tables, figures, page = (load(name, file) for file in ("", "tables", "figures", "page"))
    known = tuple(tables.TABLES) if tables else ()
    return PagePaper(
        name,
        package.TITLE,
        package.AUTHORS,
        tuple(table for table in known if table in shown.get("tables", known)),
        {kind: figure.caption for kind, figure in getattr(figures, "FIGURES", {}).items()},
        partial(page.section, **shown.get("besides", {})) if page else lambda results: "",
        shown.get("figures"),
        partial(page.explorer, **shown["explored"]) if shown.get("explored") else lambda: None,
        part,
        shown.get("samples", ()),
    )
