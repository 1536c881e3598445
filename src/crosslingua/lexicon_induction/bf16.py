"""Screening of large problems with bfloat16 matrix products, where the processor has them.

Bound (as in `exact`, with the parts that bfloat16 adds). Let x' = x + a and y' = y + b be the rounded unit
vectors. Then |x'y' - xy| <= |x||b| + |a||y'|, and |a|, |b| are computed, not estimated. Products of
bfloat16 numbers are exact in float32; their float32 sum errs by at most (d + 2) 2^-23 sum|x'_i y'_i|. Twice
that is allowed for; the rounding of the result to bfloat16 is met in `bf16_kernels._bar`. The bias of CSLS
takes part as two more columns, its rounded value and the rounded rest.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import torch
from numba import config, njit, prange, set_num_threads

from crosslingua.lexicon_induction import exact

# A bfloat16 is handled by its 16 bits: with the lower 15 flipped for negative numbers, they order as integers (*keys*).
# A query has a buffer of keys and indices, and a bar: the key below which no candidate is among its `k` best. A full
# buffer is cleared of what lies below the bar; the query of one that stays full is left to the float32 screen.
GROUP = 128  # columns tested at a time; blocks are a multiple of it wide
ROUNDING = 2.0**-8  # largest relative error of rounding to bfloat16
LOWEST = -(2**15)
GIVEN_UP = 2**15 - 1  # a bar that no key reaches: the key of a NaN


def key_values() -> np.ndarray:
    """Return the number (65536,) float32 that each key, counted from the lowest, stands for."""
    keys = np.arange(-(2**15), 2**15, dtype=np.int16)
    bits = np.where(keys < 0, keys ^ np.int16(0x7FFF), keys).view(np.uint16)
    return (bits.astype(np.uint32) << 16).view(np.float32)


@njit(cache=True, inline="always")
def _key(bits):
    return np.int16(bits ^ ((bits >> 15) & 0x7FFF))


@njit(cache=True)
def _bar(key, slack, values):
    """Return the highest key that is not above what the k-th best key allows a better candidate to screen at.

    The k-th best has a score of at least t = v - ROUNDING |v| - slack. Before rounding, a candidate with that score was
    at least t - slack, and rounding keeps order.
    """
    value = values[int(key) - LOWEST]
    least = value - ROUNDING * abs(value) - 2 * slack
    while key > LOWEST and not values[int(key) - LOWEST] <= least:
        key -= 1
    return key


@njit(cache=True)
def _kth(keys, k):
    """Return the k-th largest key; a buffer is short and `k` small, so that insertion beats sorting."""
    largest = np.full(k, LOWEST, dtype=np.int16)  # the least one first
    for key in keys:
        if key > largest[0]:
            place = 0
            while place + 1 < k and key > largest[place + 1]:
                largest[place] = largest[place + 1]
                place += 1
            largest[place] = key
    return largest[0]


@njit(cache=True)
def _clear(keys, indices, count, k, slack, values):
    """Drop what lies below the bar of the `count` entries of a buffer; return the entries left and the bar."""
    if count < k:
        return count, LOWEST
    bar = _bar(np.int64(_kth(keys[:count], k)), slack, values)
    left = 0
    for place in range(count):
        if keys[place] >= bar:
            keys[left], indices[left] = keys[place], indices[place]
            left += 1
    return left, bar


@njit(cache=True)
def _keep(query, key, index, keys, indices, counts, bars, k, slack, values):
    """Put a candidate into the query's buffer; raise its bar when the buffer is full."""
    count = counts[query]
    keys[query, count], indices[query, count] = key, index
    count += 1
    if count == keys.shape[1]:
        count, bar = _clear(keys[query], indices[query], count, k, slack[query], values)
        bars[query] = bar
        if 4 * count > 3 * keys.shape[1]:
            count, bars[query] = 0, GIVEN_UP
    counts[query] = count


@njit(cache=True, parallel=True)
def collect_rows(block, first_row, first_column, columns, keys, indices, counts, bars, k, slack, values):
    """Offer a block (rows, groups, GROUP) to the buffers of its rows; `columns` is where real candidates end."""
    for row in prange(block.shape[0]):
        query = first_row + row
        for group in range(block.shape[1]):
            bar, any_above = bars[query], False
            for lane in range(GROUP):
                any_above |= _key(block[row, group, lane]) >= bar
            if any_above:
                for lane in range(GROUP):
                    key = _key(block[row, group, lane])
                    index = first_column + group * GROUP + lane
                    if key >= bars[query] and index < columns and bars[query] != GIVEN_UP:
                        _keep(query, key, index, keys, indices, counts, bars, k, slack, values)


@njit(cache=True, parallel=True)
def collect_columns(block, first_row, first_column, columns, keys, indices, counts, bars, k, slack, values):
    """Offer a block (rows, groups, GROUP) to the buffers of its columns; `bars` is padded to whole groups."""
    for group in prange(block.shape[1]):
        start = first_column + group * GROUP
        local = bars[start : start + GROUP]
        for row in range(block.shape[0]):
            any_above = False
            for lane in range(GROUP):
                any_above |= _key(block[row, group, lane]) >= local[lane]
            if any_above:
                for lane in range(GROUP):
                    key, query = _key(block[row, group, lane]), start + lane
                    if key >= bars[query] and query < columns and bars[query] != GIVEN_UP:
                        _keep(query, key, first_row + row, keys, indices, counts, bars, k, slack, values)


@njit(cache=True, parallel=True)
def finish(keys, indices, counts, bars, k, slack, values):
    """Clear every buffer a last time."""
    for query in prange(counts.size):
        if bars[query] != GIVEN_UP:
            counts[query], bars[query] = _clear(
                keys[query], indices[query], counts[query], k, slack[query], values
            )


ROWS, COLUMNS = 1024, 4096  # of a block of similarities: 8 MiB, which stays in cache
VALUES = key_values()


@dataclass
class RoundedSide:
    """One side's unit vectors (n, d) float32 and the rounding error of each."""

    exact: np.ndarray
    rounded: torch.Tensor  # (n or padded, d or d + 2) bfloat16
    lost: np.ndarray  # (n,) length of the rounding error


class Buffers:
    """For each query, the candidates that may still be among its `k` best."""

    def __init__(self, queries: int, k: int, slack: np.ndarray):
        padded = -(-queries // GROUP) * GROUP
        self.keys = np.empty((queries, exact.BUFFER), dtype=np.int16)
        self.indices = np.empty((queries, exact.BUFFER), dtype=np.int32)
        self.counts = np.zeros(queries, dtype=np.int32)
        self.bars = np.full(padded, GIVEN_UP, dtype=np.int16)  # the padding is never asked for
        self.bars[:queries] = LOWEST
        self.k, self.slack = k, slack.astype(np.float64)

    def arguments(self) -> tuple:
        """Return what every kernel takes."""
        return self.keys, self.indices, self.counts, self.bars, self.k, self.slack, VALUES

    def candidates(
        self, queries: np.ndarray, candidates: np.ndarray, bias: np.ndarray | None
    ) -> exact.Screen:
        """Yield as `exact.screen_float32`; queries whose buffer was given up are screened by that."""
        finish(*self.arguments())
        step = max(1, exact.CHUNK // 1024)
        for start in range(0, len(queries), step):
            part = slice(start, start + step)
            given_up = np.flatnonzero(self.bars[: len(queries)][part] == GIVEN_UP)
            filled = np.arange(exact.BUFFER) < self.counts[part, None]
            rows, columns = [np.nonzero(filled)[0]], [self.indices[part][filled].astype(np.int64)]
            for first, row, column in exact.screen_float32(queries[part][given_up], candidates, self.k, bias):
                rows.append(given_up[row + first])
                columns.append(column)
            yield start, np.concatenate(rows), np.concatenate(columns)


def top(queries: np.ndarray, candidates: np.ndarray, k: int, biases: exact.Biases = None) -> exact.Ranked:
    """Return what `exact.top` returns, to the bit."""
    k = min(k, len(candidates))
    half = exact.half(biases)
    left, right = _side(queries), _side(candidates, half)
    if half is not None:
        ones = torch.full((len(queries), 2), -1.0, dtype=torch.bfloat16)
        left.rounded = torch.cat([left.rounded, ones], dim=1)
    found = Buffers(len(queries), k, _slack(left, right))
    for block, row, column in _blocks(left, right):
        collect_rows(block, row, column, len(candidates), *found.arguments())
    return exact.ranked(queries, candidates, k, found.candidates(queries, candidates, half), biases)


def top_both(source: np.ndarray, target: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the cosines that `exact.top` finds for the source's rows and for the target's, from one product."""
    left, right = _side(source), _side(target)
    by_row = Buffers(len(source), min(k, len(target)), _slack(left, right))
    by_column = Buffers(len(target), min(k, len(source)), _slack(right, left))
    for block, row, column in _blocks(left, right):
        collect_rows(block, row, column, len(target), *by_row.arguments())
        collect_columns(block, row, column, len(target), *by_column.arguments())
    return (
        exact.ranked(source, target, by_row.k, by_row.candidates(source, target, None))[1],
        exact.ranked(target, source, by_column.k, by_column.candidates(target, source, None))[1],
    )


def _side(unit: np.ndarray, half: np.ndarray | None = None) -> RoundedSide:
    """Round unit vectors; candidates get their bias in two columns, and whole groups by rows of zeros."""
    rounded = torch.from_numpy(unit).to(torch.bfloat16)
    lost = np.empty(len(unit))
    for start in range(0, len(unit), ROWS):
        part = slice(start, start + ROWS)
        error = unit[part].astype(np.float64) - rounded[part].double().numpy()
        lost[part] = np.sqrt(np.einsum("ij,ij->i", error, error))
    if half is not None:
        bias = torch.from_numpy(half)
        high = bias.to(torch.bfloat16)
        low = (bias - high.float()).to(torch.bfloat16)
        lost += np.abs((bias.double() - high.double() - low.double()).numpy())
        rounded = torch.cat([rounded, high[:, None], low[:, None]], dim=1)
    return RoundedSide(unit, rounded, lost)


def _slack(queries: RoundedSide, candidates: RoundedSide) -> np.ndarray:
    """Return how far (q,) a query's screened similarities can lie from the scores before they are rounded."""
    worst = candidates.lost.max()
    length = 1 + 2.0**-20  # of a float32 unit vector, at most
    product = length * worst + queries.lost * (length + worst)
    # Sums of |x_i y_i| stay below 1.1, the bias below 1 in size (half a cosine, and its rest).
    return product + 2 * (queries.rounded.shape[1] + 16) * 2.0**-23 * 2.1


def _blocks(left: RoundedSide, right: RoundedSide) -> Iterator[tuple[np.ndarray, int, int]]:
    """Yield (block (rows, groups, GROUP) of bfloat16 bits, first row, first column), column by column."""
    set_num_threads(min(config.NUMBA_NUM_THREADS, torch.get_num_threads()))
    out = torch.empty(ROWS * COLUMNS, dtype=torch.bfloat16)
    for column in range(0, len(right.exact), COLUMNS):
        part = right.rounded[column : column + COLUMNS]
        width = -(-len(part) // GROUP) * GROUP
        padded = torch.nn.functional.pad(part, (0, 0, 0, width - len(part))).T
        for row in range(0, len(left.exact), ROWS):
            queries = left.rounded[row : row + ROWS]
            block = out[: len(queries) * width].view(len(queries), width)
            torch.mm(queries, padded, out=block)
            yield block.view(torch.int16).numpy().reshape(len(queries), -1, GROUP), row, column
