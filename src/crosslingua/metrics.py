"""The metrics rows: one number a row, the same columns everywhere (schemas/metrics.schema.yaml), as a DataFrame."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import reduce
from pathlib import Path
from typing import Any

import pandas as pd

from crosslingua.cells import Cell
from crosslingua.errors import InputError
from crosslingua.io.atomic import atomic_open
from crosslingua.io.decode import LARGEST, CsvRecords
from crosslingua.io.json import read_json
from crosslingua.provenance import code_version, process_cost

# `value` is in 0-100 for percentages of the papers, and `n` is the number of scored items. `signature` names the
# convention. `seconds` and `peak_mb` are wall time and peak memory of the job.
COLUMNS = (
    "paper", "table", "system", "task", "source", "target", "metric", "value", "seed", "n", "scale", "signature",
    "config_hash", "code_version", "seconds", "peak_mb",
)  # fmt: skip
NUMBERS = {
    "value": (float, -LARGEST), "seed": (int, 0), "n": (int, 0), "seconds": (float, 0), "peak_mb": (float, 0),
}  # fmt: skip
# The key of a row, in the order of a merged file.
KEY = ["paper", "table", "task", "source", "target", "signature", "metric", "system", "seed"]
# n: the first of them that a result has.
COUNTS = ("n_queries", "counts.pairs", "pairs", "questions", "sentences", "tokens")


def conditions(signature: str) -> dict[str, str]:
    """Return the fields of a signature by name: `csls|k=10|oov=paper` becomes {"k": "10", "oov": "paper"}."""
    return dict(part.split("=", 1) for part in signature.split("|") if "=" in part)


def rows_of(cells: Iterable[Cell], scale: str) -> pd.DataFrame:
    """Return the rows of cells, in order; InputError for a file of scores without a cell's result or metric."""
    records = [record for cell in cells for record in _records(cell)]
    seconds, peak_mb = process_cost()
    made = {"scale": scale, "code_version": code_version(), "seconds": seconds, "peak_mb": peak_mb}
    return pd.DataFrame(records).assign(**made).reindex(columns=list(COLUMNS))


def _records(cell: Cell) -> Iterator[dict[str, Any]]:
    names = ("paper", "table", "system", "task", "source", "target", "seed", "config_hash")
    identity = {name: getattr(cell, name) for name in names}
    results = _chosen(cell.score, cell.where)
    others = _chosen(cell.less, cell.where) if cell.less else [None] * len(results)
    if len(others) != len(results):
        raise InputError(cell.less, f"{len(others)} results, where {cell.score} has {len(results)}")
    for result, less in zip(results, others, strict=True):
        n, by = _count(cell.score, result), {"by": result["by"]} if "by" in result else {}
        named = {**cell.conditions, **by}
        signature = "|".join([result["signature"], *(f"{name}={value}" for name, value in named.items())])
        if less and n != _count(cell.less, less):
            raise InputError(cell.less, f"another number of items was scored than in {cell.score}")
        for metric in cell.metrics:
            name, _, key = metric.rpartition("=")
            value = _get(cell.score, result, key) - (_get(cell.less, less, key) if less else 0.0)
            yield identity | {"metric": name or key, "value": float(value), "n": n, "signature": signature}


def _chosen(path: str, where: str) -> list[Mapping]:
    content = read_json(path)
    results = content if isinstance(content, list) else [content]
    if not all(isinstance(one, dict) and isinstance(one.get("signature"), str) for one in results):
        raise InputError(path, "is not a file of scores: a signature is missing", remedy="score it again")
    chosen = [result for result in results if not where or where in result["signature"].split("|")]
    if not chosen:
        raise InputError(path, f"no result with {where} in its signature" if where else "no results")
    return chosen


def _count(path: str, result: Mapping) -> int:
    for name in COUNTS:
        try:
            return int(reduce(lambda inside, key: inside[key], name.split("."), result))
        except (KeyError, TypeError, ValueError, OverflowError):
            continue
    raise InputError(path, f"tells no number of items scored: none of {', '.join(COUNTS)}")


def _get(path: str, result: Mapping, key: str) -> float:
    if key not in result:
        raise InputError(path, f"has no score {key!r}")
    value = result[key]
    try:
        finite = not isinstance(value, bool) and math.isfinite(value)
    except (TypeError, OverflowError):
        finite = False
    if not finite:
        raise InputError(path, f"the score {key!r} is {value!r:.40}, no number", remedy="score it again")
    return value


def write_rows(path: str | Path, rows: pd.DataFrame) -> None:
    """Write rows as CSV with a header. Raises ValueError without rows."""
    if rows.empty:
        raise ValueError(f"no rows to write to {path}")
    with atomic_open(path) as stream:
        rows.to_csv(stream, columns=list(COLUMNS), index=False, lineterminator="\n")


def read_rows(paths: str | Path | Sequence[str | Path]) -> pd.DataFrame:
    """Read rows of one file or of several, in order; InputError for other columns or values, and repeated rows."""
    paths = [paths] if isinstance(paths, str | Path) else paths
    rows = pd.concat([_read(path) for path in paths], ignore_index=True)
    if (twice := rows.duplicated(KEY)).any():
        key = rows.loc[twice, KEY].iloc[0].to_dict()
        raise InputError(paths[-1], f"two rows for {key}", remedy="two jobs write the same result")
    return rows


def _read(path: str | Path) -> pd.DataFrame:
    records = CsvRecords(path)
    if tuple(records.fieldnames or ()) != COLUMNS:
        raise InputError(path, f"columns must be {','.join(COLUMNS)}", line=1, remedy="make the rows again")
    found = [
        record | {name: records.number(record, name, *kind) for name, kind in NUMBERS.items()}
        for record in records
    ]
    if not found:
        raise InputError(path, "holds no row", remedy="make the rows again")
    return pd.DataFrame(found, columns=list(COLUMNS))


def merge(paths: Sequence[str | Path]) -> pd.DataFrame:
    """Read the row files that exist, in a stable order. Raises InputError without any, and for repeated rows."""
    found = [path for path in paths if Path(path).is_file()]
    if not found:
        raise InputError(paths[0], "no such file, nor any other of rows")
    return read_rows(found).sort_values(KEY, ignore_index=True)
