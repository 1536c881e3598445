"""A line of a `.vec` file: its word and numbers as text, and what is wrong with one that does not parse."""

from pathlib import Path

import numpy as np

from crosslingua.errors import InputError

REMEDY = (
    "expected fastText's text format: a header `n d`, then a word and d numbers a line, one space between"
)


def render_row(row: np.ndarray) -> bytes:
    """Return a row's numbers as text: a space before each, a line end after the last."""
    return ((" %.9g" * len(row) + "\n") % tuple(row.tolist())).encode()


def decode_word(path: Path, line: int, word: bytes) -> str:
    """Return the word as text; raises InputError when it is not UTF-8."""
    try:
        return word.decode()
    except UnicodeDecodeError:
        raise InputError(
            path, f"the word {word!r} is not UTF-8", line=line, remedy="convert the file to UTF-8"
        ) from None


def wrong_line(path: Path, number: int, line: bytes, columns: int) -> InputError:
    """Return the error that says what is wrong with a line that does not parse."""
    word, *fields = line.rstrip(b"\r\n").removesuffix(b" ").split(b" ")
    shown = word.decode("utf-8", "replace")
    if not word and fields:
        return InputError(path, "the line begins with a space: there is no word", line=number, remedy=REMEDY)
    if len(fields) != columns:
        message = f"{len(fields)} numbers after {shown!r}, the header promises {columns}"
        return InputError(path, message, line=number, remedy=REMEDY)
    bad = next((field for field in fields if not _is_number(field)), b"")
    message = f"{bad.decode('utf-8', 'replace')!r} in the vector of {shown!r} is not a number"
    return InputError(path, message, line=number, remedy=REMEDY)


def _is_number(field: bytes) -> bool:
    try:
        float(field)
    except ValueError:
        return False
    return True
