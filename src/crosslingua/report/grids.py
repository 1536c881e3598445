"""A result table of several grids: one file of each format, and what the results page shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from crosslingua.errors import ConfigError
from crosslingua.io.atomic import atomic_open
from crosslingua.report.tables import Table, to_html, to_latex, to_markdown, write_csv


@dataclass(frozen=True)
class Grid:
    """One table and the sentence that names what sets it apart from the others."""

    note: str
    table: Table


def write(path: str | Path, title: str, caption: str, grids: Sequence[Grid], scale: str) -> None:
    """Write grids as `.csv` (tidy), `.md` or `.tex`; raises ConfigError for another suffix."""
    suffix = Path(path).suffix
    if suffix == ".csv":
        write_csv(path, {grid.note: grid.table for grid in grids})
        return
    with atomic_open(path) as stream:
        if suffix == ".md":
            stream.write(f"# {title}\n\nScale: {scale}. {caption}\n")
            stream.writelines(f"\n## {grid.note}\n\n{to_markdown(grid.table)}\n" for grid in grids)
        elif suffix == ".tex":
            stream.write(f"% {title}; scale {scale}\n")
            stream.write("\n".join(f"% {grid.note}\n{to_latex(grid.table)}\n" for grid in grids))
        else:
            raise ConfigError(f"{path}: tables are written as .csv, .md or .tex")


def view(name: str, title: str, caption: str, grids: Sequence[Grid]) -> dict:
    """What the results page shows of a table."""
    found = [{"note": grid.note, "html": to_html(grid.table)} for grid in grids]
    return {"id": name, "title": title, "caption": caption, "grids": found}
