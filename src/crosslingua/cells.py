"""Cells, which are scored results with the metrics rows that they fill, and plans, which scripts read."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from crosslingua.errors import InputError
from crosslingua.io.decode import CsvRecords
from crosslingua.io.json import read_json


@dataclass(frozen=True)
class Cell:
    """A file of scores (JSON), and the columns of the metrics rows that it fills.

    `metrics` name keys of the file, or a row's metric and its key, `supervised=f1`. In a list of results, a result
    counts if its signature has the field `where` (`identical=kept`), and each makes a row. Values of the file `less`
    are subtracted (`delta=f1`). `conditions` are added to the signature (`{"dictionary": "muse"}`, `{"layer": "8"}`).
    The workflow adds `config_hash`.
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
    config_hash: str = ""
    where: str = ""
    less: str = ""
    conditions: Mapping[str, str] = field(default_factory=dict)


COLUMNS = tuple(f.name for f in fields(Cell))


def read_cells(path: str | Path) -> list[Cell]:
    """Read a CSV file of `cell_line`s. Raises InputError on other columns, a malformed line, or none."""
    reader = CsvRecords(path)
    if tuple(reader.fieldnames or ()) != COLUMNS:
        raise InputError(path, f"columns must be {','.join(COLUMNS)}", line=1)
    if not (cells := [_cell(path, reader.line_num, record) for record in reader]):
        raise InputError(path, "no cells")
    return cells


def cell_line(cell: Cell) -> dict[str, object]:
    """Return a cell as a line of its plan; `metrics` and `conditions` are separated by spaces."""
    conditions = " ".join(f"{name}={value}" for name, value in cell.conditions.items())
    return vars(cell) | {"metrics": " ".join(cell.metrics), "conditions": conditions}


def _cell(path: str | Path, line: int, record: dict[str, str]) -> Cell:
    try:
        told = dict(part.split("=", 1) for part in record["conditions"].split())
        conditions = Part(path, f"conditions of line {line}", told)
        metrics = tuple(record["metrics"].split())
        return Cell(**{**record, "seed": int(record["seed"]), "metrics": metrics, "conditions": conditions})
    except (AttributeError, TypeError, ValueError) as error:
        raise InputError(path, f"not a cell: {error}", line=line) from None


# A plan: what a figure, or a paper's verdicts, are made from. JSON, written by the workflow or by hand.
#
#     {"inputs": {"rows": ["rows/xlm_align.main.csv"]}, "settings": {"caption": "scale demo"}}
#
# `inputs` are files by their role, and `settings` is everything else. A plan of claims has, besides, `cells` (files of
# `crosslingua.cells`), `runs` (the encoder training of each seed), `planned` and `strategies` (by system).


class Part(dict):
    """A part of a plan. A missing key raises InputError with the plan's file."""

    def __init__(self, path: str | Path, name: str, content: dict[str, Any]):
        super().__init__(content)
        self.place = path, name

    def __missing__(self, key: str) -> Any:
        path, name = self.place
        raise InputError(path, f"{name} has no {key!r}")


def read_plan(path: str | Path, parts: Collection[str]) -> dict[str, Any]:
    """Return `parts` of a plan; a missing one is empty. Raises InputError for another form."""
    content = read_json(path)
    if not isinstance(content, dict) or not content.keys() <= set(parts):
        raise InputError(path, f"a plan is an object with the parts {', '.join(parts)}")
    readers = {
        "inputs": lambda given: {name: _files(files) for name, files in dict(given).items()},
        "settings": dict,
        "cells": _files,
        "runs": lambda given: {int(seed): int(run) for seed, run in dict(given).items()},
        "stand_ins": lambda given: {name: str(own) for name, own in dict(given).items()},
        "strategies": lambda given: {name: str(kind) for name, kind in dict(given).items()},
        "planned": lambda given: [int(number) for number in given],
    }
    try:
        read = {name: readers[name](content.get(name, ())) for name in parts}
    except (AttributeError, TypeError, ValueError) as error:
        raise InputError(path, f"not a plan: {error}") from None
    return {name: Part(path, name, part) if isinstance(part, dict) else part for name, part in read.items()}


def _files(content: Any) -> list[Path]:
    if isinstance(content, str | dict):
        raise TypeError(f"{content!r:.40} is no list of files")
    return [Path(file) for file in content]
