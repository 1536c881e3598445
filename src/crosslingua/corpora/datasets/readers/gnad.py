"""10kGNAD: `topic;'article'` a line, CSV with its quotes."""

import csv
import sys
from collections import Counter
from collections.abc import Iterator

from crosslingua.errors import InputError
from crosslingua.io.decode import decoded_lines


def read(source: str, errors: str = "strict", counts: Counter[str] | None = None) -> Iterator[str]:
    """Yield the articles. Raises InputError with the line on a record of other than two columns."""
    csv.field_size_limit(sys.maxsize)
    lines = (line + "\n" for line in decoded_lines(source, errors, counts))
    reader = csv.reader(lines, delimiter=";", quotechar="'", strict=True)
    try:
        for row in reader:
            if len(row) != 2:
                raise InputError(source, f"{len(row)} columns where 2 are expected", line=reader.line_num)
            yield " ".join(row[1].split())
    except csv.Error as error:
        raise InputError(source, f"not CSV: {error}", line=reader.line_num) from None
