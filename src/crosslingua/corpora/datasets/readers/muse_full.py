"""A re-formatted full MUSE dictionary: `target @ source` a line, in the original order of frequency."""

from collections import Counter

from crosslingua.errors import InputError
from crosslingua.io.bitext import Pair, distinct
from crosslingua.io.decode import decoded_lines


def read(path: str, counts: Counter[str] | None = None) -> list[Pair]:
    """Return (source, target) pairs; InputError on a line of another form."""
    pairs = []
    for number, line in enumerate(decoded_lines(path), 1):
        target, separator, source = line.partition(" @ ")
        if not separator or not target or not source or " " in target + source:
            raise InputError(path, f"expected 'target @ source', found {line!r}", line=number)
        pairs.append((source, target))
    return distinct(pairs, path, counts)
