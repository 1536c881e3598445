"""The metrics rows of one scored alignment."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from crosslingua.io.json import read_json
from crosslingua.metrics import Row, process_cost
from crosslingua.word_aligners.scoring import METRICS


def rows_of_cell(path: str | Path, tables: Sequence[str], layer: int | None, **identity: Any) -> list[Row]:
    """Return a row for each of `tables` and each metric of a JSON file of scripts/score_alignment.py.

    `identity` fills the columns system, source, target, seed, scale and config_hash; an encoder's `layer` stands
    in the signature.
    """
    seconds, peak_mb = process_cost()
    result = read_json(path)
    prefix = "" if layer is None else f"layer={layer}|"
    return [
        Row(
            paper="xlm_align",
            table=table,
            task="word_alignment",
            metric=metric,
            value=result[metric],
            n=result["counts"]["pairs"],
            signature=prefix + result["signature"],
            seconds=seconds,
            peak_mb=peak_mb,
            **identity,
        )
        for table in tables
        for metric in METRICS
    ]
