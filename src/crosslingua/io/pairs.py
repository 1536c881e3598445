"""The contract of sentence pairs: TSV with a header, no CSV quoting, one pair a line."""

import unicodedata
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from crosslingua.errors import InputError
from crosslingua.io.atomic import atomic_open
from crosslingua.io.decode import decoded_lines


class PairContract(NamedTuple):
    """The names of the three columns of a kind of pairs, and its labels."""

    header: tuple[str, str, str]
    labels: tuple[str, ...]


class SentencePair(NamedTuple):
    """Premise and hypothesis, or two sentences, and their label."""

    first: str
    second: str
    label: str


def read_pairs(
    path: str | Path, contract: PairContract, single_label: bool = False
) -> Iterator[SentencePair]:
    """Yield the pairs of a contract file (`.gz` too); constant memory.

    Raises InputError with file and line on a malformed line, an unknown label and a file without pairs. Several pairs
    with one label are placeholders of public test sets, and an error unless `single_label`.
    """
    lines = decoded_lines(path)
    header = tuple(next(lines, "").split("\t"))
    if header != contract.header:
        expected = "<TAB>".join(contract.header)
        raise InputError(path, f"header {header!r} where {expected} is expected", line=1)
    seen: set[str] = set()
    count = 0
    for number, line in enumerate(lines, 2):
        columns = line.split("\t")
        if len(columns) != 3:
            raise InputError(path, f"{len(columns)} columns where 3 are expected", line=number)
        for name, value in zip(contract.header, columns, strict=True):
            if not value.strip():
                raise InputError(path, f"empty {name}", line=number)
        pair = SentencePair(*columns)
        if pair.label not in contract.labels:
            legal = ", ".join(contract.labels)
            raise InputError(path, f"unknown label {pair.label!r}: the labels are {legal}", line=number)
        seen.add(pair.label)
        count += 1
        yield pair
    if not count:
        raise InputError(path, "no pairs", remedy="the file is empty; make or fetch it again")
    if count > 1 and len(seen) == 1 and not single_label:
        raise InputError(
            path, f"all {count} labels are {seen.pop()!r}", remedy="these look like placeholder labels"
        )


def write_pairs(path: str | Path, pairs: Iterable[SentencePair], contract: PairContract) -> int:
    """Write pairs atomically in NFC, in order; return how many. Raises ValueError for an unknown label or text that the
    format cannot hold, InputError without pairs.
    """
    count = 0
    with atomic_open(path) as stream:
        stream.write("\t".join(contract.header) + "\n")
        for pair in pairs:
            if pair.label not in contract.labels or any(c in field for field in pair for c in "\t\n\r"):
                raise ValueError(f"no pair with a label of {contract.labels}: {pair!r}")
            stream.write(unicodedata.normalize("NFC", "\t".join(pair)) + "\n")
            count += 1
        if not count:
            raise InputError(path, "no pairs to write")
    return count
