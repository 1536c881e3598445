"""A cell: one scored result, and the metrics rows it fills. A paper's plan is a list of cells, one a line of CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path

from crosslingua.errors import InputError


@dataclass(frozen=True)
class Cell:
    """A file of scores (JSON), and the columns of the metrics rows that it fills.

    `metrics` are rows to write: the name of a key of the file, or `supervised=f1`, the row's metric and the key.
    Of a file that holds a list of results, those count whose signature has the field `where` (`identical=kept`).
    Values of the file `less` are taken off (`delta=f1`). `conditions` follow the file's signature in the rows'
    (`{"dictionary": "muse"}`, `{"layer": "8"}`).
    """

    paper: str
    table: str
    system: str
    task: str
    source: str
    target: str
    seed: int
    score: str
    metrics: tuple[str, ...]
    config_hash: str
    where: str = ""
    less: str = ""
    conditions: Mapping[str, str] = field(default_factory=dict)


COLUMNS = tuple(f.name for f in fields(Cell))


def cells_text(cells: Iterable[Cell]) -> str:
    """Return cells as CSV with a header; `metrics` and `conditions` are separated by spaces."""
    stream = io.StringIO()
    writer = csv.DictWriter(stream, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(_record(cell) for cell in cells)
    return stream.getvalue()


def read_cells(path: str | Path) -> list[Cell]:
    """Read the file of `cells_text`. Raises InputError on other columns or a malformed line."""
    with Path(path).open(encoding="utf-8", newline="") as stream:
        reader = csv.DictReader(stream)
        if tuple(reader.fieldnames or ()) != COLUMNS:
            raise InputError(path, f"columns must be {','.join(COLUMNS)}", line=1)
        return [_cell(path, reader.line_num, record) for record in reader]


def _record(cell: Cell) -> dict[str, object]:
    conditions = " ".join(f"{name}={value}" for name, value in cell.conditions.items())
    return asdict(cell) | {"metrics": " ".join(cell.metrics), "conditions": conditions}


def _cell(path: str | Path, line: int, record: dict[str, str]) -> Cell:
    try:
        conditions = dict(part.split("=", 1) for part in record["conditions"].split())
        metrics = tuple(record["metrics"].split())
        return Cell(**{**record, "seed": int(record["seed"]), "metrics": metrics, "conditions": conditions})
    except (AttributeError, TypeError, ValueError) as error:
        raise InputError(path, f"not a cell: {error}", line=line) from None
