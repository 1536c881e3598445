"""Write records one after the other, whole or not at all, and never none."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from crosslingua.errors import InputError
from crosslingua.io.atomic import atomic_open


def write_records(path: str | Path, texts: Iterable[str], what: str) -> int:
    """Write the texts of records atomically; return how many. Raises InputError where there is no `what` at all."""
    count = 0
    with atomic_open(path) as stream:
        for text in texts:
            stream.write(text)
            count += 1
        if not count:
            raise InputError(path, f"no {what} to write")
    return count
