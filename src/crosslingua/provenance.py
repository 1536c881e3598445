"""What made a number: the version of the code, and what the process cost."""

from __future__ import annotations

import resource
import subprocess
import time
from functools import cache
from pathlib import Path

from crosslingua import __version__

_STARTED = time.perf_counter()


@cache
def code_version() -> str:
    """Return the package version with the commit it ran from, `.dirty` if files differed from it."""
    folder = Path(__file__).parent
    try:
        described = subprocess.run(
            ["git", "describe", "--always", "--dirty=.dirty", "--abbrev=10", "--exclude=*"],
            cwd=folder,
            capture_output=True,
            text=True,
            check=True,
            timeout=20,
        ).stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return __version__
    return f"{__version__}+g{described}"


def process_cost() -> tuple[float, float]:
    """Return wall seconds since the package was loaded, and the peak resident memory in MB (10^6 bytes)."""
    peak_kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return round(time.perf_counter() - _STARTED, 3), round(peak_kib * 1024 / 1e6, 1)
