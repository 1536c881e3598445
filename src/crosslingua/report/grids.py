"""What a table of a paper consists of on file and page: grids, each with the sentence that names its convention."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from crosslingua.errors import ConfigError
from crosslingua.io.atomic import atomic_open
from crosslingua.report.tables import Table, to_html, to_latex, to_markdown, write_csv


@dataclass(frozen=True)
class Grid:
    """One table and the sentence that names its convention."""

    note: str
    table: Table


def view(name: str, title: str, caption: str, found: Sequence[Grid]) -> dict:
    """What the results page shows of a table; `name` is its anchor."""
    shown = [{"note": grid.note, "html": to_html(grid.table)} for grid in found]
    return {"id": name, "title": title, "caption": caption, "grids": shown}


def write(path: str | Path, title: str, caption: str, found: Sequence[Grid], scale: str) -> None:
    """Write a table's grids as `.csv` (all conventions), `.md` (all) or `.tex` (the first, the paper's)."""
    suffix = Path(path).suffix
    if suffix == ".csv":
        write_csv(path, {grid.note: grid.table for grid in found})
        return
    with atomic_open(path) as stream:
        if suffix == ".md":
            stream.write(f"# {title}\n\nScale: {scale}. {caption}\n")
            stream.writelines(f"\n## {grid.note}\n\n{to_markdown(grid.table)}\n" for grid in found)
        elif suffix == ".tex":
            stream.write(f"% {title}; scale {scale}\n% {found[0].note}\n{to_latex(found[0].table)}\n")
        else:
            raise ConfigError(f"{path}: tables are written as .csv, .md or .tex")
