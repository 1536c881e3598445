"""MUSE's own files: `source<space or tab>target` a line, most frequent source words first."""

from collections import Counter

from crosslingua.io.bitext import Pair, read_dictionary


def read(path: str, counts: Counter[str] | None = None) -> list[Pair]:
    """Return the pairs of a file."""
    return read_dictionary(path, counts)
