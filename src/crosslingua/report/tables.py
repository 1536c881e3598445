"""Result tables: systems down, language pairs across, mean ± deviation over seeds, the best in bold."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from statistics import mean, stdev

from tabulate import tabulate

from crosslingua.errors import InputError
from crosslingua.io.atomic import atomic_open
from crosslingua.metrics import Row


@dataclass(frozen=True)
class Value:
    """Mean and sample standard deviation of one number over seeds; the deviation of one seed is None."""

    mean: float
    deviation: float | None
    seeds: int


def summarise(values: Iterable[float]) -> Value:
    """Summarise one number's values, one a seed."""
    values = list(values)
    return Value(mean(values), stdev(values) if len(values) > 1 else None, len(values))


@dataclass(frozen=True)
class Table:
    """A grid: `cells[row][column]`; a missing cell is a system that was not run there.

    `published[row][column]` is the paper's figure, shown in parentheses. In the columns `lowest` less is better.
    `best_in_bold` is off where a column's rows do not compete.
    """

    title: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    cells: Mapping[str, Mapping[str, Value]]
    decimals: int = 1
    published: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    lowest: frozenset[str] = frozenset()
    best_in_bold: bool = True

    def best(self, column: str) -> float | None:
        """The best rounded mean of a column: the highest, or the lowest."""
        means = [
            round(self.cells[row][column].mean, self.decimals)
            for row in self.rows
            if column in self.cells[row]
        ]
        return (min if column in self.lowest else max)(means, default=None)

    def text(self, row: str, column: str, bold: Callable[[str], str], plus_minus: str = "±") -> str:
        """A cell as text, in bold where it is the best of its column."""
        value, published = self.cells[row].get(column), self.published.get(row, {}).get(column)
        beside = "" if published is None else f" ({published:.{self.decimals}f})"
        if value is None:
            return f"–{beside}"
        text = f"{value.mean:.{self.decimals}f}"
        if value.deviation is not None:
            text += f" {plus_minus} {value.deviation:.{self.decimals}f}"
        best = self.best_in_bold and round(value.mean, self.decimals) == self.best(column)
        return (bold(text) if best else text) + beside

    def render(self, format: str, bold: Callable[[str], str], plus_minus: str = "±", name=str) -> str:
        """Render through tabulate in one of its formats; `name` escapes row and column names."""
        body = [
            [name(row), *(self.text(row, column, bold, plus_minus) for column in self.columns)]
            for row in self.rows
        ]
        align = ("left", *("right" for _ in self.columns))
        return tabulate(
            body,
            headers=["system", *map(name, self.columns)],
            tablefmt=format,
            colalign=align,
            disable_numparse=True,
        )


def build(title: str, rows: Sequence[Row], systems: Sequence[str], column_of: Callable[[Row], str]) -> Table:
    """Build a table of `rows`, which hold one metric under one convention, one row a system, column and seed.

    Systems and columns without any row are left out. Raises InputError when there are no rows at all.
    """
    if not rows:
        raise InputError("metrics", f"no rows for the table {title!r}")
    values: dict[tuple[str, str], list[float]] = {}
    for row in rows:
        values.setdefault((row.system, column_of(row)), []).append(row.value)
    columns = tuple(dict.fromkeys(column_of(row) for row in rows))
    shown = tuple(s for s in systems if any((s, column) in values for column in columns))
    cells = {s: {c: summarise(values[s, c]) for c in columns if (s, c) in values} for s in shown}
    return Table(title, shown, columns, cells)


def to_markdown(table: Table) -> str:
    """Return the grid in GitHub's Markdown."""
    return table.render("github", lambda text: f"**{text}**")


def to_latex(table: Table) -> str:
    """Return a LaTeX tabular; underscores in names are escaped."""

    def name(text: str) -> str:
        return text.replace("_", r"\_")

    return table.render("latex_raw", lambda text: rf"\textbf{{{text}}}", r"$\pm$", name)


def to_html(table: Table) -> str:
    """Return an HTML table."""
    return table.render("unsafehtml", lambda text: f"<strong>{text}</strong>", name=escape)


def write_csv(path: str | Path, tables: Mapping[str, Table]) -> None:
    """Write tables as one tidy CSV: convention, system, column, mean, deviation, seeds.

    A last column, published, follows where a table has the paper's figures.
    """
    beside = any(table.published for table in tables.values())
    with atomic_open(path) as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(
            ["convention", "system", "column", "mean", "deviation", "seeds", *["published"] * beside]
        )
        for convention, table in tables.items():
            for row in table.rows:
                for column, value in table.cells[row].items():
                    deviation = "" if value.deviation is None else f"{value.deviation:.4f}"
                    published = [table.published.get(row, {}).get(column, "")] * beside
                    numbers = [f"{value.mean:.4f}", deviation, value.seeds, *published]
                    writer.writerow([convention, row, column, *numbers])
