"""10kGNAD: `topic;'article'` a line, CSV with its quotes."""

from collections import Counter
from collections.abc import Iterator

from crosslingua.corpora.datasets.readers.wikitext_csv import numbered_rows
from crosslingua.errors import InputError


def read(source: str, errors: str = "strict", counts: Counter[str] | None = None) -> Iterator[str]:
    """Yield the articles. Raises InputError with the line on a record of other than two columns."""
    for number, row in numbered_rows(source, errors, counts, delimiter=";", quotechar="'"):
        if len(row) != 2:
            raise InputError(source, f"{len(row)} columns where 2 are expected", line=number)
        yield " ".join(row[1].split())
