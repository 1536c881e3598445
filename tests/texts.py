"""Files of a few lines."""

import csv
from pathlib import Path


def written(path: Path, text: str | bytes) -> Path:
    """Write a file in UTF-8, with the folders that it needs."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def csv_rows(path: Path, delimiter: str = ",") -> list[dict[str, str]]:
    """Return the rows of a table in UTF-8, by its header."""
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream, delimiter=delimiter))
