"""The report beside predictions, and what a score says of it."""

from pathlib import Path
from typing import Any

from crosslingua.io.json import read_json

REPORT = "training.json"


def with_training(scores: dict[str, Any], hypothesis: str | Path) -> dict[str, Any]:
    """Return the scores of a file of predictions, signed by what the report beside it says of the training.

    That is `embeddings=frozen`, and `selected=learning_rate:0.001` of settings that were chosen on validation data.
    """
    report = Path(hypothesis).parent / REPORT
    told = read_json(report) if report.is_file() else {}
    marks = ["embeddings=frozen"] if told.get("settings", {}).get("freeze_embeddings") else []
    if chosen := told.get("selection", {}).get("chosen"):
        marks.append("selected=" + ",".join(f"{name}:{_word(value)}" for name, value in chosen.items()))
    return scores | {"signature": "|".join([scores["signature"], *marks])} if marks else scores


def _word(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
