"""Records of a user's file: one that cannot be used is dropped and counted, up to a share of the file."""

import logging
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from crosslingua.errors import InputError

log = logging.getLogger(__name__)

MOST_LOST = 0.2  # share of the records of a file that may be dropped

Raw = TypeVar("Raw")
Made = TypeVar("Made")


def usable(
    records: Iterable[Raw],
    make: Callable[[Raw, Counter[str]], Made | None],
    counts: Counter[str] | None,
    what: str,
) -> Iterator[Made]:
    """Yield what `make` makes of each record of a file, except None, which is no record; `make` counts its repairs.

    A record on which `make` raises InputError is dropped and counted (`counts["dropped_<what>"]`), and the first error
    is logged. It is raised where more than MOST_LOST are dropped. Without `counts`, every error is raised.
    """
    kept = lost = 0
    first: InputError | None = None
    for record in records:
        repairs: Counter[str] = Counter()
        try:
            made = make(record, repairs)
        except InputError as error:
            if counts is None:
                raise
            first, lost = first or error, lost + 1
            continue
        if counts is not None:
            counts.update(repairs)
        if made is not None:
            kept += 1
            yield made
    if first is None:
        return
    path, message, line, remedy = first.made_of
    if lost > MOST_LOST * (kept + lost):
        told = f"{message}; {lost} of {kept + lost} {what} cannot be used"
        raise InputError(
            path, told, line=line, remedy=remedy or f"correct them: only {MOST_LOST:.0%} may be wrong"
        )
    counts[f"dropped_{what}"] += lost
    log.warning("%s; dropped %d of %d %s", first, lost, kept + lost, what)
