"""A re-packed copy of WikiText whose members are one-column CSV: records span lines, quotes are doubled."""

import csv
import re
import sys
from collections import Counter
from collections.abc import Iterator

from crosslingua.errors import InputError
from crosslingua.io.decode import decoded_lines

JOINT = re.compile(r" @([-,.])@ ")


def read(source: str, errors: str = "strict", counts: Counter[str] | None = None) -> Iterator[str]:
    """Yield the lines of all records, headings and empty lines included.

    Raises InputError with the line on a record of more than one column and on quotes that do not match.
    """
    for record in records(source, errors, counts):
        yield from record.split("\n")


def read_joined(source: str, errors: str = "strict", counts: Counter[str] | None = None) -> Iterator[str]:
    """Yield the same lines with words joined that WikiText split: `well @-@ known`, `1 @,@ 000`, `2 @.@ 5`."""
    for line in read(source, errors, counts):
        yield JOINT.sub(r"\1", line)


def records(source: str, errors: str = "strict", counts: Counter[str] | None = None) -> Iterator[str]:
    """Yield each CSV record: its one column, of many lines."""
    csv.field_size_limit(sys.maxsize)  # the default of 128 KiB is less than a long record
    reader = csv.reader((line + "\n" for line in decoded_lines(source, errors, counts)), strict=True)
    try:
        for row in reader:
            if len(row) != 1:
                raise InputError(source, f"expected one column, found {len(row)}", line=reader.line_num)
            yield row[0]
    except csv.Error as error:
        raise InputError(source, f"not CSV: {error}", line=reader.line_num) from None
