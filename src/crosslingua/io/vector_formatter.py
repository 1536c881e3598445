"""The compiled writer of large `.vec` files: `%.9g` of every number, to the byte.

The nine digits are round(v * 10^p) for the p that makes nine of them. Power and product are doubles, so the
product errs by less than 1e-6; where the fraction is that near to one half, the digits could be wrong, and
the whole row is left to Python. So are numbers for which 10^p is not an exact double.
"""

import math

import numpy as np
from numba import njit

from crosslingua.io.vector_line import render_row
from crosslingua.io.vector_parser import POWERS

LONGEST = 17  # bytes a number takes at most: space, sign, point, nine digits, leading zeros or e-10
SPACE, NEWLINE, MINUS, POINT, ZERO, SMALL_E, PLUS = (ord(sign) for sign in " \n-.0e+")


def render_rows(matrix: np.ndarray) -> list[bytes]:
    """Return what `vector_line.render_row` gives for each row of a float32 matrix (n, d)."""
    text = np.empty((len(matrix), matrix.shape[1] * LONGEST + 1), dtype=np.uint8)
    ends = _render(np.ascontiguousarray(matrix), text, POWERS)
    return [
        text[row, :end].tobytes() if end >= 0 else render_row(matrix[row])
        for row, end in enumerate(ends.tolist())
    ]


@njit(cache=True, nogil=True)
def _render(matrix, text, powers):
    """Write each row's numbers into its row of `text`; return where each ends, -1 for those left to Python."""
    ends = np.empty(matrix.shape[0], dtype=np.int64)
    for row in range(matrix.shape[0]):
        end = 0
        for column in range(matrix.shape[1]):
            end = _number(np.float64(matrix[row, column]), text[row], end, powers)
            if end < 0:
                break
        if end >= 0:
            text[row, end] = NEWLINE
            end += 1
        ends[row] = end
    return ends


@njit(cache=True, nogil=True)
def _number(value, text, end, powers):
    """Append a space and `%.9g` of `value`; return the new end, or -1."""
    text[end] = SPACE
    end += 1
    if math.copysign(1.0, value) < 0:
        text[end] = MINUS
        end += 1
    value = abs(value)
    if value == 0:
        text[end] = ZERO
        return end + 1
    exponent = int(np.floor(np.log10(value)))
    if not -13 <= exponent <= 30:
        return -1
    shift = 8 - exponent
    scaled = value * powers[shift] if shift >= 0 else value / powers[-shift]
    whole = np.floor(scaled)
    if abs(scaled - whole - 0.5) < 1e-6:
        return -1
    digits = np.int64(whole) + (scaled - whole > 0.5)
    if not 10**8 <= digits < 10**9:  # the logarithm was rounded across a power of ten
        return -1
    length = 9
    while digits % 10 == 0:
        digits //= 10
        length -= 1
    if -4 <= exponent < 9:
        return _fixed(digits, length, exponent, text, end)
    return _scientific(digits, length, exponent, text, end)


@njit(cache=True, nogil=True)
def _fixed(digits, length, exponent, text, end):
    """Append `length` digits with the point after the first `exponent + 1`."""
    if exponent < 0:
        for place in range(1 - exponent):
            text[end + place] = POINT if place == 1 else ZERO
        end += 1 - exponent
        return _integer(digits, length, text, end)
    before = exponent + 1
    for _ in range(before - length):  # zeros that were cut off before the point
        digits *= 10
    length = max(length, before)
    end = _integer(digits, length, text, end)
    if length > before:
        for place in range(end, end - (length - before), -1):
            text[place] = text[place - 1]
        text[end - (length - before)] = POINT
        end += 1
    return end


@njit(cache=True, nogil=True)
def _scientific(digits, length, exponent, text, end):
    """Append one digit, the point and the rest, and the exponent with a sign and two digits."""
    end = _fixed(digits, length, 0, text, end)
    text[end] = SMALL_E
    text[end + 1] = MINUS if exponent < 0 else PLUS
    return _integer(abs(exponent), 2, text, end + 2)


@njit(cache=True, nogil=True)
def _integer(number, length, text, end):
    """Append `length` digits."""
    for place in range(end + length - 1, end - 1, -1):
        text[place] = ZERO + number % 10
        number //= 10
    return end + length
