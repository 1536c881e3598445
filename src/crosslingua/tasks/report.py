"""The report beside predictions, and what a score says of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from crosslingua.io.json import read_json

REPORT = "training.json"


def with_training(scores: dict[str, Any], hypothesis: str | Path) -> dict[str, Any]:
    """Return the scores of a file of predictions, signed `embeddings=frozen` where the report beside it says so."""
    report = Path(hypothesis).parent / REPORT
    if report.is_file() and read_json(report).get("settings", {}).get("freeze_embeddings"):
        return scores | {"signature": f"{scores['signature']}|embeddings=frozen"}
    return scores
