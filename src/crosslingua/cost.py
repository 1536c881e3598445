"""What a script cost, told in its log. Snakemake's benchmarks miss what a job spent after their last look at it.

They look every half a second at first, then every 30 seconds: a job of 44 seconds "took" 15 seconds of processor time.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

TOLD = "processor time: %.2f s"
_LINE = re.compile(r"^\S+ INFO processor time: ([0-9.]+) s$", re.MULTILINE)


def processor_seconds() -> float:
    """Return the seconds that processors worked for this process and those that it waited for, user and system."""
    return sum(os.times()[:4])


def told(log: str | Path) -> float | None:
    """Return the seconds that the scripts of a log told, added up; None if none did, or there is no log."""
    path = Path(log)
    found = _LINE.findall(path.read_text(encoding="utf-8", errors="replace")) if path.is_file() else []
    return sum(map(float, found)) if found else None
