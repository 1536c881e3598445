"""Stochastic dictionary induction (Artetxe et al. 2018, section 3.3): CSLS in both directions, with random drops."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numba import njit

if TYPE_CHECKING:
    from torch import Tensor

from crosslingua.mappers.mapper import Array, over_blocks

BLOCK = 512  # rows of the similarity matrix that one worker holds


def induce(
    source: Array, target: Array, k: int, keep: float = 1.0, key: tuple[int, ...] = (0,)
) -> tuple[Array, float]:
    """Pair each source word with its best target word and each target word with its best source word. Return the rows
    (k, 2) int64, and the mean cosine of each word with its best translation, without drops.

    `source` (n, d) and `target` (m, d) are unit vectors in one space, best is by CSLS with `k` neighbours. Each cell of
    the similarities (4 n m bytes) stays with probability `keep`, drawn by `key` for each direction. A word without
    cells gets no pair.
    """
    similarities = np.empty((len(source), len(target)), dtype=np.float32)

    def multiply(block: slice) -> None:
        np.matmul(source[block], target.T, out=similarities[block])

    over_blocks(multiply, len(source), BLOCK)
    hubness_source, hubness_target = _mean_largest(similarities, k), _mean_largest(similarities.T, k)
    forward, up = _best(similarities, hubness_target, keep, (*key, 0))
    backward, down = _best(similarities.T, hubness_source, keep, (*key, 1))
    there = np.stack([np.arange(len(source)), forward], axis=1)[forward >= 0]
    back = np.stack([backward, np.arange(len(target))], axis=1)[backward >= 0]
    return np.concatenate([there, back]), (up + down) / 2


def _mean_largest(similarities: Array, k: int) -> Array:
    k = min(k, similarities.shape[1])

    def mean(block: slice) -> Array:
        return largest_values(np.ascontiguousarray(similarities[block]), k).mean(axis=1)

    return np.concatenate(over_blocks(mean, len(similarities), BLOCK))


def _best(similarities: Array, hubness: Array, keep: float, key: tuple[int, ...]) -> tuple[Array, float]:
    """Return the best kept column (n,) of each row (-1: none), and the mean cosine of the best of all columns."""
    columns, half = np.empty(len(similarities), dtype=np.int64), hubness / 2
    seed = np.random.SeedSequence(key).generate_state(1, np.uint64)[0]
    limit = np.uint64(int(keep * 2**64)) if keep < 1 else None

    def choose(block: slice) -> float:
        rows = np.ascontiguousarray(similarities[block])
        best = best_columns(rows, half)  # by half of CSLS, up to a constant of the row
        # A dropped cell is never chosen. The paper sets it to 0, but CSLS, unlike the cosine, is often below 0 for all.
        columns[block] = best if limit is None else best_kept(rows, half, block.start, seed, limit)
        return float(np.take_along_axis(rows, best[:, None], axis=1).sum(dtype=np.float64))

    return columns, sum(over_blocks(choose, len(similarities), BLOCK)) / len(similarities)


ON_GPU = 2**26  # similarities that a GPU holds at a time; their draws take 2 GiB as they are made


def induce_on_gpu(
    source: Tensor, target: Tensor, k: int, keep: float = 1.0, key: tuple[int, ...] = (0,)
) -> tuple[Array, float]:
    """Return what `induce` returns, by the same draws: words of almost equally near translations may have others."""
    import torch

    hubness = [_mean_largest_on_gpu(target, source, k), _mean_largest_on_gpu(source, target, k)]
    forward, up = _best_on_gpu(source, target, hubness[0], keep, (*key, 0))
    backward, down = _best_on_gpu(target, source, hubness[1], keep, (*key, 1))
    there = torch.stack([torch.arange(len(source), device=forward.device), forward], 1)[forward >= 0]
    back = torch.stack([backward, torch.arange(len(target), device=forward.device)], 1)[backward >= 0]
    return torch.cat([there, back]).cpu().numpy(), float((up + down) / 2)


def _mean_largest_on_gpu(queries: Tensor, keys: Tensor, k: int) -> Tensor:
    import torch

    blocks, k = queries.split(max(1, ON_GPU // len(keys))), min(k, len(keys))
    return torch.cat([(block @ keys.T).topk(k, dim=1).values.mean(1) for block in blocks])


def _best_on_gpu(
    queries: Tensor, keys: Tensor, hubness: Tensor, keep: float, key: tuple[int, ...]
) -> tuple[Tensor, Tensor]:
    """Return what `_best` returns of the similarities of vectors."""
    import torch

    seed = int(np.random.SeedSequence(key).generate_state(1, np.uint64)[0])
    limit, half = int(keep * 2**64), hubness / 2
    columns, cosines = [], []
    for number, block in enumerate(queries.split(size := max(1, ON_GPU // len(keys)))):
        similarities = block @ keys.T
        scores = similarities - half
        best = scores.argmax(1)
        cosines.append(similarities.gather(1, best[:, None]).sum(dtype=torch.float64))
        if keep < 1:
            first = number * size * len(keys)
            numbers = torch.arange(first, first + scores.numel(), device=scores.device).view(scores.shape)
            highest, best = scores.masked_fill_(~below(seed, numbers, limit), -torch.inf).max(1)
            best = best.where(highest > -torch.inf, -1)
        columns.append(best)
    return torch.cat(columns), torch.stack(cosines).sum() / len(queries)


def below(key: int, numbers: Tensor, limit: int) -> Tensor:
    """Return whether `draw(key, number)` is below `limit`, for int64 numbers of any shape; both are below 2^64.

    torch computes with signed integers. They wrap around as unsigned ones, whose order is that with the first bit
    flipped; a shift to the right copies the first bit, which is taken away.
    """
    mixed = (numbers + 1).mul_(_signed(0x9E3779B97F4A7C15)).add_(_signed(key))
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        mixed ^= (mixed >> shift).bitwise_and_(2 ** (64 - shift) - 1)
        mixed *= _signed(factor)
    mixed ^= (mixed >> 31).bitwise_and_(2**33 - 1)
    return (mixed ^ -(2**63)) < _signed(limit ^ 2**63)


def _signed(number: int) -> int:
    """Return the signed integer of the same 64 bits."""
    return number - 2**64 if number >= 2**63 else number


@njit(cache=True, nogil=True)
def largest_values(matrix, k):
    """Return each row's `k` largest values (n, k), largest first."""
    found = np.empty((matrix.shape[0], k), dtype=matrix.dtype)
    for i in range(matrix.shape[0]):
        row, top = matrix[i], found[i]
        top[:] = -np.inf
        for j in range(row.size):
            value = row[j]
            if value > top[k - 1]:
                place = k - 1
                while place and top[place - 1] < value:
                    top[place] = top[place - 1]
                    place -= 1
                top[place] = value
    return found


@njit(cache=True, nogil=True)
def draw(key, number):
    """Return the `number`th output, from 0, of SplitMix64 (Steele, Lea and Flood 2014) seeded by `key`, both uint64."""
    mixed = key + (number + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))


@njit(cache=True, nogil=True)
def best_columns(similarities, half):
    """Return each row's best column (n,): by similarity less `half` (m,) of the column, the lower among equals."""
    rows, columns = similarities.shape
    best = np.zeros(rows, dtype=np.int64)
    for i in range(rows):
        row, highest = similarities[i], np.float32(-np.inf)
        for j in range(columns):
            score = row[j] - half[j]
            if score > highest:
                highest, best[i] = score, j
    return best


@njit(cache=True, nogil=True)
def best_kept(similarities, half, first, key, limit):
    """Return each row's best kept column (n,), or -1. A cell is kept if its draw, by `key` and its place in the matrix
    whose row `first` comes first here, is below `limit` (uint64). Only cells better than the best so far are drawn for.
    """
    rows, columns = similarities.shape
    kept = np.full(rows, -1, dtype=np.int64)
    for i in range(rows):
        row, highest = similarities[i], np.float32(-np.inf)
        before = np.uint64(first + i) * np.uint64(columns)
        for j in range(columns):
            score = row[j] - half[j]
            if score > highest and draw(key, before + np.uint64(j)) < limit:
                highest, kept[i] = score, j
    return kept
