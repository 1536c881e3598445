"""The compiled parser of large `.vec` files: one pass over the bytes.

A decimal number with a mantissa below 2^53 and a power of ten within ±22 is an exact double multiplied or
divided by an exact double, so one rounding gives the double nearest to it, as `float(text)` does (Clinger
1990). All other spellings (more digits, `nan`, `1_0`) are left to `float` itself.
"""

from io import BufferedReader
from pathlib import Path

import numpy as np
from numba import njit

from crosslingua.io.vector_line import decode_word, wrong_line

CHUNK = 32 * 2**20  # bytes read at a time
SLOW = 2**16  # numbers left to Python in one go, at most
POWERS = 10.0 ** np.arange(23)  # exact as doubles
SPACE, NEWLINE, RETURN, MINUS, POINT, ZERO = (ord(sign) for sign in " \n\r-.0")
LARGEST = np.uint64(2**53)  # up to here every integer is a double
PLUS, SMALL_E, LARGE_E = (ord(sign) for sign in "+eE")


def parse_body(
    path: Path, stream: BufferedReader, wanted: int, columns: int
) -> tuple[list[str], np.ndarray, bool]:
    """Return up to `wanted` words, their (n, columns) float32 matrix, and whether more lines follow.

    Raises InputError with file and line, as `vector_text.parse`.
    """
    matrix = np.empty((wanted, columns), dtype=np.float32)
    slow = np.empty((max(SLOW, columns), 3), dtype=np.int64)
    bounds = np.empty((wanted, 2), dtype=np.int64)
    words: list[str] = []
    while len(words) < wanted and (data := _complete_lines(stream)):
        view, used = np.frombuffer(data, dtype=np.uint8), 0
        while used < len(data) and len(words) < wanted:
            first = len(words)
            rows, used, wrong, pending = _parse_lines(view, used, matrix[first:], bounds, slow, POWERS)
            for row, (start, end) in enumerate(bounds[:rows].tolist()):
                words.append(decode_word(path, first + row + 2, data[start:end]))
            for row, column, start, end in _slow_numbers(slow[:pending], columns):
                try:
                    matrix[first + row, column] = float(data[start:end])
                except ValueError:
                    raise wrong_line(path, first + row + 2, _line(data, start), columns) from None
            if wrong:
                raise wrong_line(path, len(words) + 2, _line(data, used), columns)
        if len(words) == wanted:
            return words, matrix, bool((data[used:] + stream.read(1)).strip())
    return words, matrix[: len(words)], False


def _complete_lines(stream: BufferedReader) -> bytes:
    data = stream.read(CHUNK)
    if data and not data.endswith(b"\n"):
        data += stream.readline()
    return data if not data or data.endswith(b"\n") else data + b"\n"


def _slow_numbers(slow: np.ndarray, columns: int) -> list[tuple[int, int, int, int]]:
    return [(place // columns, place % columns, start, end) for place, start, end in slow.tolist()]


def _line(data: bytes, position: int) -> bytes:
    return data[data.rfind(b"\n", 0, position) + 1 : data.index(b"\n", position)]


@njit(cache=True, nogil=True)
def _parse_lines(data, position, matrix, bounds, slow, powers):  # pragma: no cover (compiled)
    """Parse lines of `data` from `position` until it ends, `matrix` is full or `slow` could overflow.

    Returns (rows done, position of the next line, whether that line is malformed, entries of `slow`).
    `bounds` receives each word's start and end, `slow` (row * columns + column, start, end) of the numbers
    that were left out.
    """
    columns = matrix.shape[1]
    row = pending = 0
    while position < data.size and row < matrix.shape[0] and pending + columns <= slow.shape[0]:
        line = position
        while data[position] != SPACE and data[position] != NEWLINE:
            position += 1
        if position == line or data[position] == NEWLINE:
            return row, line, True, pending
        bounds[row, 0], bounds[row, 1] = line, position
        for column in range(columns):
            if data[position] != SPACE:
                return row, line, True, pending
            start = position + 1
            value, position, exact = _number(data, start, powers)
            if exact:
                matrix[row, column] = value
            else:
                slow[pending, 0], slow[pending, 1], slow[pending, 2] = row * columns + column, start, position
                pending += 1
        if data[position] == SPACE:
            position += 1
        if data[position] == RETURN:
            position += 1
        if data[position] != NEWLINE:
            return row, line, True, pending
        position += 1
        row += 1
    return row, position, False, pending


@njit(cache=True, nogil=True, inline="always")
def _number(data, position, powers):  # pragma: no cover (compiled)
    """Return (value, position after the number, whether the value is exact); a field ends at white space."""
    start = position
    negative = data[position] == MINUS
    position += negative
    mantissa = np.uint64(0)
    digits = fraction = 0
    point = False
    while True:
        digit = data[position] - ZERO  # as a signed integer: all other characters fall outside 0 to 9
        if 0 <= digit <= 9:
            mantissa = mantissa * np.uint64(10) + np.uint64(digit)
            digits += mantissa > 0
            fraction += point
        elif data[position] == POINT and not point:
            point = True
        else:
            break
        position += 1
    read = position - start - negative - point
    exponent = -fraction
    if read > 0 and (data[position] == SMALL_E or data[position] == LARGE_E):
        shift, position = _exponent(data, position + 1)
        exponent += shift
    ends = data[position] == SPACE or data[position] == NEWLINE or data[position] == RETURN
    if not ends or read == 0 or digits > 18 or mantissa > LARGEST or exponent < -22 or exponent > 22:
        while data[position] != SPACE and data[position] != NEWLINE and data[position] != RETURN:
            position += 1
        return 0.0, position, False
    value = np.float64(mantissa)
    value = value * powers[exponent] if exponent >= 0 else value / powers[-exponent]
    return (-value if negative else value), position, True


@njit(cache=True, nogil=True)
def _exponent(data, position):  # pragma: no cover (compiled)
    """Return the integer at `position` and the position after it; 999 (never exact) if there is none."""
    negative = data[position] == MINUS
    position += negative or data[position] == PLUS
    value, start = 0, position
    while 0 <= data[position] - ZERO <= 9:
        value = min(999, value * 10 + data[position] - ZERO)
        position += 1
    if position == start:
        return 999, position
    return (-value if negative else value), position
