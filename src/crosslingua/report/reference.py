"""The papers' published numbers: reference/<paper>_<table>.csv, one number a row.

`target` is what the number stands under: a language, a pair (`de-en`), a transformation, `mean`. More columns may
follow those below, as notes for the reader.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable
from pathlib import Path

from crosslingua.errors import InputError

COLUMNS = ("system", "target", "task", "metric", "value")
Key = tuple[str, str, str, str]  # the first four columns


def read_reference(paths: Iterable[str | Path]) -> dict[Key, float]:
    """Read published numbers by (system, target, task, metric); the same number may stand in several tables.

    Raises InputError on other columns, on what is no number, and where two tables disagree.
    """
    found: dict[Key, float] = {}
    for path in paths:
        with Path(path).open(encoding="utf-8", newline="") as stream:
            reader = csv.DictReader(stream)
            if tuple(reader.fieldnames or ())[: len(COLUMNS)] != COLUMNS:
                raise InputError(path, f"columns must be {','.join(COLUMNS)}", line=1)
            for record in reader:
                key, value = _parse(path, reader.line_num, record)
                if found.setdefault(key, value) != value:
                    raise InputError(
                        path, f"{value} for {key}, another table has {found[key]}", line=reader.line_num
                    )
    return found


def _parse(path: str | Path, line: int, record: dict[str, str]) -> tuple[Key, float]:
    try:
        return tuple(record[name] for name in COLUMNS[:4]), float(record["value"])
    except (TypeError, ValueError):
        raise InputError(path, f"not a published number: {record}", line=line) from None
