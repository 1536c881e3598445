"""Top candidates by the exact score, from a float32 screen with a proved error bound.

Bound. Let s be the score and a its screened value, with |a - s| <= e for all candidates of a query. Let t be a lower
bound on the k-th largest a. At least k candidates have s >= t - e. A candidate among the k best (or equal to the k-th)
therefore has s >= t - e and a >= t - 2e. All of these are kept and ranked by s. For float32 products of unit vectors, e
<= d * 2^-24 * sum|x_i y_i| <= d * 2^-24 in any order of summation (Higham 2002, section 3.1, plus first-order slack).
The bias and s add a few roundings.
"""

from collections.abc import Iterator

import numpy as np

CHUNK = 16 * 2**20  # similarities screened at a time (64 MiB)
PAIRS = 2**18  # numbers gathered at a time when candidates are ranked: 1 MiB a side, which stays in cache
BUFFER = 96  # candidates that bfloat16 screening keeps a query
GROUP = 16  # columns that share a maximum when the threshold is sought


Ranked = tuple[np.ndarray, np.ndarray]  # indices (q, k) int64 and scores (q, k) float32, best first
Screen = Iterator[tuple[int, np.ndarray, np.ndarray]]  # (first query, rows of the chunk, columns)
Biases = tuple[np.ndarray, np.ndarray] | None  # of queries (q,) and candidates (m,), float64


def top(queries: np.ndarray, candidates: np.ndarray, k: int, biases: Biases = None) -> Ranked:
    """Return the best `candidates` (m, d) of each query (q, d), all of them unit vectors.

    The score is the cosine, or with `biases` `2 cos - query's - candidate's` (CSLS).
    """
    k = min(k, len(candidates))
    screen = screen_float32(queries, candidates, k, half(biases))
    return ranked(queries, candidates, k, screen, biases)


def top_both(source: np.ndarray, target: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the cosines that `top` finds for the source's rows and for the target's, from one product if it is small.

    The blocks of a large product are too low to bound a column's `k`-th largest by maxima.
    """
    if len(source) < 4 * k * GROUP or CHUNK // len(target) < 4 * k * GROUP:
        return top(source, target, k)[1], top(target, source, k)[1]
    # Of each column so far: `k` maxima, the least one first; sources, targets and screened values that pass it.
    largest = np.full((k, len(target)), -np.inf, dtype=np.float32)
    kept: list[tuple[np.ndarray, ...]] = []

    def screen() -> Screen:
        nonlocal largest
        for start, block in blocks(source, target):
            whole = len(block) // GROUP * GROUP
            grouped = block[:whole].reshape(GROUP, whole // GROUP, -1).max(axis=0)
            largest = np.partition(np.concatenate([largest, grouped, block[whole:]]), -k, axis=0)[-k:]
            rows, columns = places(block >= largest[0] - margin(source))
            kept.append((rows + start, columns, block[rows, columns]))
            yield start, *passing(block, min(k, len(target)), margin(source))

    by_row = ranked(source, target, min(k, len(target)), screen())[1]
    rows, columns, screened = map(np.concatenate, zip(*kept, strict=True))
    passed = screened >= largest[0][columns] - margin(source)
    return by_row, ranked(target, source, k, iter([(0, columns[passed], rows[passed])]))[1]


def ranked(
    queries: np.ndarray, candidates: np.ndarray, k: int, screen: Screen, biases: Biases = None
) -> Ranked:
    """Rank what `screen` lets through by the exact score; result as `top`."""
    indices = np.empty((len(queries), k), dtype=np.int64)
    scores = np.empty((len(queries), k), dtype=np.float32)
    for start, rows, columns in screen:
        score = pair_cosines(queries, candidates, rows + start, columns)
        if biases is not None:
            score = 2 * score - biases[0][rows + start] - biases[1][columns]
        score = score.astype(np.float32)
        chosen = best(rows, columns, score, k)
        block = slice(start, start + len(chosen) // k)
        indices[block], scores[block] = columns[chosen].reshape(-1, k), score[chosen].reshape(-1, k)
    return indices, scores


def half(biases: Biases) -> np.ndarray | None:
    """Return what to subtract from a cosine with each candidate, float32, to rank by `2 cos - bias`."""
    return None if biases is None else (biases[1] / 2).astype(np.float32)


def pair_cosines(
    queries: np.ndarray, candidates: np.ndarray, rows: np.ndarray, columns: np.ndarray
) -> np.ndarray:
    """Return the cosine (p,) of each pair (queries[rows[p]], candidates[columns[p]]) of unit vectors.

    Summed in float64 in a fixed order and rounded to float32: equal vectors get equal scores whatever their place.
    """
    cosines = np.empty(len(rows), dtype=np.float32)
    step = max(1, PAIRS // queries.shape[1])
    for start in range(0, len(rows), step):
        part = slice(start, start + step)
        left, right = queries[rows[part]], candidates[columns[part]]
        cosines[part] = np.einsum("ij,ij->i", left, right, dtype=np.float64)
    return cosines.astype(np.float64)


def screen_float32(queries: np.ndarray, candidates: np.ndarray, k: int, bias: np.ndarray | None) -> Screen:
    """Yield (first query, rows of the chunk, columns): a superset of each query's top `k`, by row."""
    for start, block in blocks(queries, candidates):
        if bias is not None:
            block -= bias
        yield start, *passing(block, k, margin(queries))


def blocks(queries: np.ndarray, candidates: np.ndarray) -> Iterator[tuple[int, np.ndarray]]:
    """Yield (first query, cosines (rows, m) float32); the next block takes the memory of the one before."""
    step = max(1, CHUNK // len(candidates))
    memory = np.empty((min(step, len(queries)), len(candidates)), dtype=np.float32)
    for start in range(0, len(queries), step):
        part = queries[start : start + step]
        yield start, np.matmul(part, candidates.T, out=memory[: len(part)])


def margin(vectors: np.ndarray) -> np.float32:
    """Return 2e of the module's bound for vectors (n, d), with a factor two to spare."""
    return np.float32(2 * (vectors.shape[1] + 16) * 2.0**-23)


def passing(block: np.ndarray, k: int, slack: np.float32) -> tuple[np.ndarray, np.ndarray]:
    """Return rows and columns of what may be among the `k` largest of its row."""
    return places(block >= (threshold(block, k) - slack)[:, None])


def places(mask: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return what `np.nonzero` returns for a matrix, in an eighth of its time where few entries are true."""
    return np.divmod(np.flatnonzero(mask), mask.shape[1])


def best(rows: np.ndarray, columns: np.ndarray, scores: np.ndarray, k: int) -> np.ndarray:
    """Return the positions of each row's `k` best: score descending, then column ascending."""
    order = np.lexsort((columns, -scores, rows))
    starts = np.flatnonzero(np.diff(rows[order], prepend=-1))
    return order[(starts[:, None] + np.arange(k)).ravel()]


def threshold(block: np.ndarray, k: int) -> np.ndarray:
    """Return a lower bound on each row's `k`-th largest value, from groups' maxima: ten times cheaper."""
    groups = block.shape[1] // GROUP
    if groups >= 4 * k:
        tail = block[:, groups * GROUP :]
        maxima = block[:, : groups * GROUP].reshape(len(block), GROUP, groups).max(axis=1)
        block = np.concatenate([maxima, tail], axis=1)
    return np.partition(block, block.shape[1] - k, axis=1)[:, block.shape[1] - k]
