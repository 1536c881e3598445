"""Tables of numbers in Markdown, and the committed files whose cells they show.

A table shows the CSV files that a comment right before it names, or else those that the paragraph before it links to:

    <!-- cells: {of: results/reference/demo/joint_align_table1.csv, grid: P@1, columns: {XNLI: XNLI acc.}} -->

The last `code` of a row's label is its system. `rows` and `columns` say what labels stand for: a column is a name, null
where the table shows no cell of a file, or a mapping of `column` and what this column has for itself: `of`, `grid`, and
`suffix`, what follows the system. `grid` begins the convention of the cells. Cells `1.0 / 2.0` are of one file each;
`1.0 (2.0)` is mean and published value. Run as a program, this module writes what the files hold into the pages.
"""

import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from prose import cells
from texts import csv_rows

ROOT = Path(__file__).parents[1]
MARK = "‡|†\\d+/\\d+|\\[\\d+ nil\\]"
NUMBER = re.compile(rf"\**([-−+]?\d+\.\d+)\**(?: ± (\d+\.\d+)\**)?(?: \((\d+\.\d+)\))?((?: (?:{MARK}))*)\**")
Row = Mapping[str, str]


@dataclass(frozen=True)
class ShownTable:
    """A table of a page with its `lines`, the number of the first, and what it shows: `spec`, or None."""

    page: str
    first: int
    lines: Sequence[str]
    spec: Mapping[str, Any] | None

    @property
    def header(self) -> list[str]:
        return cells(self.lines[0])

    @property
    def rows(self) -> list[list[str]]:
        return [cells(line) for line in self.lines[2:]]

    def has_numbers(self) -> bool:
        """Whether a cell beside the labels is a number with a decimal point."""
        return any(
            NUMBER.fullmatch(part) for row in self.rows for cell in row[1:] for part in cell.split(" / ")
        )

    def compared(self) -> Iterator[tuple[int, int, str, str]]:
        """Yield line, column, cell and what the files hold, of each cell that is not empty."""
        spec = self.spec or {}
        for place, (label, *shown) in enumerate(self.rows):
            named = re.findall(r"`([^`]+)`", label)
            system = spec.get("rows", {}).get(label) or (named or [label])[-1]
            for number, (title, cell) in enumerate(zip(self.header[1:], shown, strict=True), 1):
                column = spec.get("columns", {}).get(title, title.strip("`"))
                if column is None or cell in ("", "–"):
                    continue
                own = {**spec, **(column if isinstance(column, Mapping) else {"column": column})}
                files = [own["of"]] if isinstance(own["of"], str) else own["of"]
                place_in_file = (f"{system}{own.get('suffix', '')}", own.get("grid", ""), own["column"])
                rows = [_cell(file, *place_in_file) for file in files]
                parts = cell.split(" / ")
                held = [_held(part, row) for part, row in zip(parts, rows, strict=True)]
                yield self.first + 2 + place, number, cell, " / ".join(held)


def shown_tables(page: str) -> list[ShownTable]:
    """Return the tables of a page."""
    found = []
    text = (ROOT / page).read_text(encoding="utf-8")
    for table in re.finditer(r"^\|.*\n\|[-:| ]+\|[ ]*\n(?:\|.*\n?)+", text, re.MULTILINE):
        before = text[: table.start()].rstrip()
        comment = re.search(r"<!-- cells: ((?:(?!-->).)*)-->$", before, re.DOTALL)
        spec = yaml.safe_load(comment[1]) if comment else {}
        linked = re.findall(
            r"\]\(([^)]+\.csv)\)", before[: comment and comment.start()].rstrip().rpartition("\n\n")[2]
        )
        if linked and "of" not in spec:
            folder = (ROOT / page).parent
            spec["of"] = [(folder / one).resolve().relative_to(ROOT).as_posix() for one in linked]
        first = text.count("\n", 0, table.start()) + 1
        found.append(ShownTable(page, first, table[0].splitlines(), spec if "of" in spec else None))
    return found


@cache
def _rows(path: str) -> list[dict[str, str]]:
    return csv_rows(ROOT / path)


def _cell(path: str, system: str, grid: str, column: str) -> Row | None:
    """Return the row of a file; a column may begin with its convention (`NER → de`)."""
    for row in _rows(path):
        names = (row["column"], f"{row['convention'].rstrip('.')} {row['column']}")
        if row["system"] == system and column in names and row["convention"].startswith(grid):
            return row
    return None


def _held(shown: str, row: Row | None) -> str:
    """Return the cell as the file has it, written as `shown`; `shown` itself where both agree."""
    found = NUMBER.fullmatch(shown)
    if row is None or not found:
        return "no such cell" if row is None else f"{float(row['mean']):.1f}"
    values = [row["mean"], row["deviation"] if found[2] else "", row.get("published", "") if found[3] else ""]
    marks = row.get("mark") or ""
    if (
        all(_alike(*pair) for pair in zip(found.groups()[:3], values, strict=True))
        and found[4].strip() == marks
    ):
        return shown
    mean, deviation, published = (f"{float(value):.1f}" if value else "" for value in values)
    text = mean + (f" ± {deviation}" if deviation else "") + (f" ({published})" if published else "")
    bold = "**" if "**" in shown else ""
    return f"{bold}{text}{bold}" + (f" {marks}" if marks else "")


def _alike(shown: str | None, value: str) -> bool:
    """Whether a number with one decimal is a value, which the file has with four."""
    if not shown or not value:
        return not shown and not value
    return abs(float(shown.replace("−", "-")) - float(value)) < 0.0501


if __name__ == "__main__":
    for page in sys.argv[1:]:
        lines = (ROOT / page).read_text(encoding="utf-8").split("\n")
        for table in shown_tables(page):
            for line, column, _, held in table.compared() if table.spec else ():
                parts = re.split(r"(?<!\\)\|", lines[line - 1])
                parts[column + 1] = f" {held} "  # before the first column stands nothing
                lines[line - 1] = "|".join(parts)
        (ROOT / page).write_text("\n".join(lines), encoding="utf-8")
