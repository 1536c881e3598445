"""Metrics rows, made by hand or read from a run."""

from pathlib import Path
from typing import Any

import pandas as pd

from crosslingua.metrics import COLUMNS, read_rows

ROW = {
    "paper": "joint_align", "table": "table1", "system": "joint", "task": "bli", "source": "ana", "target": "ber",
    "metric": "p_at_1", "value": 12.5, "seed": 1, "n": 305, "scale": "tiny",
    "signature": "csls|k=10|oov=paper|identical=kept|dictionary=world", "config_hash": "0123456789ab",
    "code_version": "0.1.0", "seconds": 0.25, "peak_mb": 70.4,
}  # fmt: skip


def transfer_row(system: str, target: str, task: str, metric: str, value: float, seed: int = 1) -> dict:
    table = "table1" if system[-1].isdigit() else "table3"  # of an ablation, xlm_parallel_100, or not
    return {
        "paper": "align_mlm", "table": table, "system": system, "task": task, "source": "en", "target": target,
        "metric": metric, "value": value, "seed": seed, "signature": "f1",
    }  # fmt: skip


def transfer_rows(system: str, target: str, task: str, seed: int = 1, **values: float) -> list[dict]:
    """Return rows of align_mlm, one a metric."""
    return [transfer_row(system, target, task, metric, value, seed) for metric, value in values.items()]


def error_row(
    system: str, value: float, pair: str = "de-en", seed: int = 1, layer: int | None = None, table="table2"
) -> dict:
    """Return a row of xlm_align, of an alignment error rate."""
    signature = "index_base=0|links=sure" + ("" if layer is None else f"|layer={layer}")
    source, target = pair.split("-")
    return {
        "paper": "xlm_align", "table": table, "system": system, "task": "word_alignment", "source": source,
        "target": target, "metric": "aer", "value": value, "seed": seed, "signature": signature,
    }  # fmt: skip


def frame(*records: dict[str, Any], **shared: Any) -> pd.DataFrame:
    """Return rows: what a record does not say is as in `shared`, else as in ROW."""
    return pd.DataFrame([ROW | shared | record for record in records], columns=list(COLUMNS))


def rows_of(path: Path) -> list[dict[str, Any]]:
    return read_rows(path).to_dict("records")


def values(path: Path) -> dict[tuple, tuple]:
    """What does not differ between two runs of one thing."""
    names = ("paper", "table", "system", "task", "source", "target", "metric", "seed", "signature")
    found = ("value", "n", "config_hash")
    return {tuple(row[n] for n in names): tuple(row[n] for n in found) for row in rows_of(path)}
