"""Processes that share the work on a text."""

import os
from concurrent.futures import ProcessPoolExecutor
from typing import Any


def worker_pool(threads: int, **options: Any) -> ProcessPoolExecutor:
    """Return a pool of `threads` processes, or one for each core at hand if these are fewer; all start at once."""
    return ProcessPoolExecutor(min(threads, len(os.sched_getaffinity(0))), **options)
