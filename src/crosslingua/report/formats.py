"""Result tables as files: tidy CSV, Markdown, LaTeX, and the HTML that the results page shows."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

import pandas as pd
from tabulate import tabulate

from crosslingua.errors import ConfigError
from crosslingua.io.atomic import atomic_open
from crosslingua.report.tables import Grid


@dataclass(frozen=True)
class Document:
    """A table to write: its grids, and the words around them. `texts` are paragraphs; empty ones are left out."""

    id: str
    title: str
    texts: Sequence[str]
    grids: Sequence[Grid]
    made_by: str = ""


@dataclass(frozen=True)
class Style:
    """How a format of tabulate writes a cell: what is bold, the sign of a deviation, and a name."""

    format: str
    bold: str
    plus_minus: str = "±"
    name: Callable[[str], str] = str


MARKDOWN = Style("github", "**{}**")
LATEX = Style("latex_raw", r"\textbf{{{}}}", r"$\pm$", lambda name: re.sub(r"([_%&#$])", r"\\\1", name))
HTML = Style("unsafehtml", "<strong>{}</strong>", name=escape)


def render(grid: Grid, style: Style) -> str:
    """Return a grid as text, a missing number as a dash."""
    cells = grid.cells.reindex(columns=["mean", "deviation", "published", "mark"]).assign(best=grid.best())
    texts = [_text(cell, grid.decimals, style) for cell in cells.itertuples()]
    frame = pd.Series(texts, cells.index).unstack("column", sort=False)
    kinds = [style.name(grid.kinds.get(system, "")) for system in frame.index] if grid.kinds else None
    frame = frame.rename(index=style.name, columns=style.name)
    align = ("left", *("right" for _ in frame.columns))
    if kinds:
        frame.insert(0, "kind", kinds)
        align = ("left", *align)
    return tabulate(frame, headers="keys", tablefmt=style.format, colalign=align, disable_numparse=True)


def _text(cell, decimals: int, style: Style) -> str:
    text = "–" if pd.isna(cell.mean) else f"{cell.mean:.{decimals}f}"
    if pd.notna(cell.deviation):
        text += f" {style.plus_minus} {cell.deviation:.{decimals}f}"
    text = style.bold.format(text) if cell.best else text
    text += f" {cell.mark}" if isinstance(cell.mark, str) and cell.mark else ""
    return text if pd.isna(cell.published) else f"{text} ({cell.published:.{decimals}f})"


def tidy(document: Document) -> str:
    """Return the grids as one CSV: convention, system, column, mean, deviation, seeds.

    A last column, published, follows where there are figures of the paper.
    """
    frames = {grid.note: _shown(grid) for grid in document.grids}
    cells = pd.concat(frames, names=["convention"]).reset_index().astype({"seeds": int})
    for name in ("mean", "deviation"):
        cells[name] = cells[name].map("{:.4f}".format, na_action="ignore")
    return cells.to_csv(index=False, lineterminator="\n")


def _shown(grid: Grid) -> pd.DataFrame:
    """Return the cells that have a number or a mark; with the kind of each system where a grid tells kinds."""
    cells = grid.cells
    shown = cells["mean"].notna() | (cells["mark"].fillna("").ne("") if "mark" in cells else False)
    kinds = {"kind": [grid.kinds.get(system, "") for system, _ in cells.index]} if grid.kinds else {}
    return cells.assign(**kinds)[shown]


def markdown(document: Document) -> str:
    """Return the grids under headings."""
    grids = [part for grid in document.grids for part in (f"## {grid.note}", render(grid, MARKDOWN))]
    return _joined(f"# {document.title}", *document.texts, *grids, document.made_by)


def latex(document: Document) -> str:
    """Return a tabular for each grid; all other words are comments."""
    words = [f"% {text}" for text in (document.title, *document.texts, document.made_by) if text]
    return _joined("\n".join(words), *(f"% {grid.note}\n{render(grid, LATEX)}" for grid in document.grids))


def html(document: Document) -> str:
    """Return a section of the results page: the first grid, and the others to unfold."""
    first, *others = document.grids
    return _joined(
        f'<section id="{document.id}">\n<h3>{escape(document.title)}</h3>',
        *(f"<p>{_with_code(text)}</p>" for text in document.texts if text),
        f'<div class="scroll">{render(first, HTML)}</div><p class="note">{_with_code(first.note)}</p>',
        *(_unfolding(grid) for grid in others),
        f'<p class="note">{_with_code(document.made_by)}</p>' if document.made_by else "",
        "</section>",
    )


def _unfolding(grid: Grid) -> str:
    """Return HTML of a grid under its note, which folds it."""
    note, table = _with_code(grid.note), render(grid, HTML)
    start = "<details open>" if grid.unfolded else "<details>"
    return f'{start}<summary>{note}</summary><div class="scroll">{table}</div></details>'


def _with_code(text: str) -> str:
    """Return HTML of a text whose commands and names stand in backticks."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text))


def _joined(*paragraphs: str) -> str:
    return "\n\n".join(filter(None, paragraphs)) + "\n"


FORMATS = {".csv": tidy, ".md": markdown, ".tex": latex, ".html": html}


def write(path: str | Path, document: Document) -> None:
    """Write a table in the format of the suffix. Raises ConfigError for one that is none."""
    if Path(path).suffix not in FORMATS:
        raise ConfigError(f"{path}: tables are written as {', '.join(FORMATS)}")
    with atomic_open(path) as stream:
        stream.write(FORMATS[Path(path).suffix](document))
