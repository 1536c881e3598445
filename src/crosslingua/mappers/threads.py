"""One BLAS thread, so that no sum depends on how many cores there are; parallel work is over fixed blocks
instead.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TypeVar

from threadpoolctl import threadpool_limits

T = TypeVar("T")


_limits: list[int] = []  # those in force, the innermost last


@contextmanager
def single_thread() -> Iterator[None]:
    """Run the body with one BLAS thread.

    A BLAS cuts a product by the number of its threads, and its kernels for odd sizes round differently.
    """
    with _limited(1):
        yield


@contextmanager
def many_threads() -> Iterator[None]:
    """Run the body with as many BLAS threads as `workers`: for code whose result does not depend on them."""
    with _limited(workers()):
        yield


@contextmanager
def _limited(number: int) -> Iterator[None]:
    """Limit BLAS to a number of threads, unless it is; finding the libraries to limit takes milliseconds."""
    if _limits and _limits[-1] == number:
        yield
        return
    _limits.append(number)
    try:
        with threadpool_limits(limits=number, user_api="blas"):
            yield
    finally:
        _limits.pop()


def workers() -> int:
    """Return how many blocks to work on at once: OMP_NUM_THREADS if set, else the cores we may use."""
    asked = os.environ.get("OMP_NUM_THREADS", "")
    return int(asked) if asked.isdigit() and int(asked) > 0 else len(os.sched_getaffinity(0))


def over_blocks(function: Callable[[slice], T], rows: int, size: int) -> list[T]:
    """Return `function(block)` for consecutive blocks of `size` rows, in order; blocks run side by side.

    The blocks do not depend on the number of workers, so neither does the result.
    """
    blocks = [slice(start, min(start + size, rows)) for start in range(0, rows, size)]
    if len(blocks) == 1 or workers() == 1:
        with single_thread():
            return [function(block) for block in blocks]
    with single_thread(), ThreadPoolExecutor(workers()) as pool:
        return list(pool.map(function, blocks))
