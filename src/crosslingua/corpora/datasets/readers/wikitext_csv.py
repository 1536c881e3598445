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
    for number, row in numbered_rows(source, errors, counts):
        if len(row) != 1:
            raise InputError(source, f"expected one column, found {len(row)}", line=number)
        yield row[0]


def numbered_rows(
    source: str, errors: str, counts: Counter[str] | None, **dialect: str
) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows of a CSV file, each with the number of its last line."""
    lines = (line + "\n" for line in decoded_lines(source, errors, counts))
    reader = csv.reader(lines, strict=True, **dialect)
    while (row := _long_row(source, reader)) is not None:
        yield reader.line_num, row


def _long_row(source: str, reader: "csv._reader") -> list[str] | None:
    """Return the next row, or None at the end."""
    limit = csv.field_size_limit(sys.maxsize)  # of all readers: the usual 128 KiB are less than a long record
    try:
        return next(reader, None)
    except csv.Error as error:
        raise InputError(source, f"not CSV: {error}", line=reader.line_num) from None
    finally:
        csv.field_size_limit(limit)
