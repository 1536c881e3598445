"""MUSE test sets by part of speech: `source<TAB>target` in files `<pair>.5000-6500.<part>.txt`.

Parts: n noun, v verb, a adjective or adverb, pn proper noun, o other, nw invalid.
"""

from collections import Counter
from pathlib import Path

from crosslingua.corpora.datasets.readers import xling_eval
from crosslingua.errors import InputError
from crosslingua.io.bitext import Pair

PARTS = ("n", "v", "a", "pn", "o", "nw")


def read(path: str, counts: Counter[str] | None = None) -> list[Pair]:
    """Return the pairs of one file."""
    part_of_speech(path)
    return xling_eval.read(path, counts)


def part_of_speech(path: str) -> str:
    """Return the part that the file's name gives; InputError if it gives none."""
    part = Path(path).name.removesuffix(".txt").rpartition(".")[2]
    if part not in PARTS:
        raise InputError(path, f"its name gives no part of speech ({', '.join(PARTS)})")
    return part
