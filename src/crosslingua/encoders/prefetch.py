"""Prepare what comes next while a GPU computes."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")


def prefetched(items: Iterator[T], ahead: int = 2) -> Iterator[T]:
    """Yield endless items in order, up to `ahead` of them drawn beforehand by a thread."""
    pool = ThreadPoolExecutor(1)
    try:
        waiting = deque(pool.submit(next, items) for _ in range(ahead))
        while True:
            item = waiting.popleft().result()
            waiting.append(pool.submit(next, items))
            yield item
    finally:
        pool.shutdown(cancel_futures=True)
