"""The text of a `.vec` file, which may be compressed: bytes to words and float32 numbers, and back.

Small files are parsed by numpy, which starts at once; large ones by the compiled parser of
`vector_parser`, to the same bits.
"""

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import numpy as np

from crosslingua.errors import InputError
from crosslingua.io.decode import open_source
from crosslingua.io.vector_line import REMEDY, decode_word, render_row, wrong_line

COMPILED_FROM = 8 * 2**20  # bytes, compressed or not: below, loading the compiler costs more than it saves
FORMATTED_FROM = 2_000_000  # numbers: likewise, for writing
BLOCK_ROWS = 4096  # rows formatted at a time


def parse(path: Path, max_rows: int | None) -> tuple[list[str], np.ndarray]:
    """Return the words and the (n, d) float32 matrix of the first `max_rows` rows (all rows with None)."""
    with open_source(path) as stream:
        rows, columns = _header(path, stream.readline())
        wanted = rows if max_rows is None else min(rows, max_rows)
        if path.stat().st_size >= COMPILED_FROM:
            from crosslingua.io.vector_parser import parse_body

            words, matrix, more = parse_body(path, stream, wanted, columns)
        else:
            words, matrix = _parse_small(path, list(islice(stream, wanted)), columns)
            more = bool(stream.readline().strip())
        if len(words) < wanted:
            raise InputError(
                path,
                f"the header promises {rows} rows, the file has {len(words)}",
                remedy="the file is cut short, or its header is wrong",
            )
        if wanted == rows and more:
            raise InputError(
                path,
                f"the header promises {rows} rows, the file has more",
                line=rows + 2,
                remedy="correct the header, or read fewer rows with max_vocabulary",
            )
    return words, matrix


def formatted(words: list[str], matrix: np.ndarray) -> Iterator[bytes]:
    """Yield the lines of the body, some thousand at a time, with nine significant digits a number (`%.9g`)."""
    render = _render_small
    if matrix.size >= FORMATTED_FROM:
        from crosslingua.io.vector_formatter import render_rows

        render = render_rows
    for start in range(0, len(words), BLOCK_ROWS):
        names = [word.encode() for word in words[start : start + BLOCK_ROWS]]
        rows = render(np.asarray(matrix[start : start + BLOCK_ROWS], dtype=np.float32))
        yield b"".join([part for pair in zip(names, rows, strict=True) for part in pair])


def _render_small(matrix: np.ndarray) -> list[bytes]:
    return [render_row(row) for row in matrix]


def _header(path: Path, line: bytes) -> tuple[int, int]:
    parts = line.split()
    if len(parts) != 2 or not all(part.isdigit() for part in parts):
        shown = line[:60].decode("utf-8", "replace").rstrip("\n")
        raise InputError(path, f"wrong header {shown!r}", line=1, remedy=REMEDY)
    rows, columns = (int(part) for part in parts)
    if not rows or not columns:
        raise InputError(path, f"the header promises {rows} rows of {columns} numbers", line=1, remedy=REMEDY)
    return rows, columns


def _parse_small(path: Path, lines: list[bytes], columns: int) -> tuple[list[str], np.ndarray]:
    words, numbers = [], []
    for number, line in enumerate(lines, 2):
        word, _, rest = line.rstrip(b"\r\n").removesuffix(b" ").partition(b" ")
        if not word or not rest or rest.count(b" ") != columns - 1:
            raise wrong_line(path, number, line, columns)
        words.append(decode_word(path, number, word))
        numbers.append(rest)
    matrix = np.empty((len(lines), columns), dtype=np.float32)
    for row, rest in enumerate(numbers):
        try:
            matrix[row] = [float(field) for field in rest.split(b" ")]
        except ValueError:
            raise wrong_line(path, row + 2, lines[row], columns) from None
    return words, matrix
