"""Metrics rows made by hand."""

from typing import Any

import pandas as pd

from crosslingua.metrics import COLUMNS

ROW = {
    "paper": "joint_align", "table": "table1", "system": "joint", "task": "bli", "source": "ana", "target": "ber",
    "metric": "p_at_1", "value": 12.5, "seed": 1, "n": 305, "scale": "tiny",
    "signature": "csls|k=10|oov=paper|identical=kept|dictionary=world", "config_hash": "0123456789ab",
    "code_version": "0.1.0", "seconds": 0.25, "peak_mb": 70.4,
}  # fmt: skip


def frame(*records: dict[str, Any], **shared: Any) -> pd.DataFrame:
    """Return rows: what a record does not say is as in `shared`, else as in ROW."""
    return pd.DataFrame([ROW | shared | record for record in records], columns=list(COLUMNS))
