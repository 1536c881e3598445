"""What made a number: the version of the code, and what the process cost."""

from __future__ import annotations

import hashlib
import resource
import subprocess
import sys
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


def loaded_code() -> str:
    """Return a digest of the project's modules that are imported so far: what a result of this process depends on."""
    files = {
        name: module.__file__
        for name, module in sys.modules.items()
        if name.partition(".")[0] == __name__.partition(".")[0] and getattr(module, "__file__", None)
    }
    digest = hashlib.sha256()
    for name, file in sorted(files.items()):
        digest.update(name.encode() + Path(file).read_bytes())
    return digest.hexdigest()


def process_cost() -> tuple[float, float]:
    """Return wall seconds since the package was loaded, and the peak resident memory in MB (10^6 bytes)."""
    peak_kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return round(time.perf_counter() - _STARTED, 3), round(peak_kib * 1024 / 1e6, 1)
