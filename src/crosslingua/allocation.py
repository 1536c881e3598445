"""How this process gets memory from the system."""

from __future__ import annotations

import ctypes
import sys

TRIM_THRESHOLD, MMAP_THRESHOLD = -1, -3  # mallopt(3)
KEPT, OWN_PAGES = 2**30, 2**25  # bytes; 32 MiB is the most that glibc takes for the second


def keep_freed_memory() -> None:
    """Let freed memory stay with the process (up to 1 GiB), as every step of a training asks for the same again.

    glibc gives large blocks back at once, so that each next one is cleared and mapped page by page: of pre-training on
    a CPU a tenth of the processor time. Where there is no glibc nothing is done.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None) if sys.platform == "linux" else None
    if mallopt:
        mallopt(MMAP_THRESHOLD, OWN_PAGES)
        mallopt(TRIM_THRESHOLD, KEPT)
