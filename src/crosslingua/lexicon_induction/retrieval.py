"""Exact retrieval between two vector spaces: cosine neighbours, and CSLS (Conneau et al. 2018, section 2.3).

The score that ranks is defined to the bit. Cosines are float64 sums over float32 unit vectors, rounded to float32. CSLS
is computed from these in float64 and rounded to float32. Ties go to the lower index. Fast matrix products only screen:
their error is bounded, and every candidate that the bound cannot exclude is ranked by that definition (`exact`). So the
result depends neither on chunks nor on threads.
"""

import sys
from collections.abc import Callable
from importlib.util import find_spec
from types import ModuleType
from typing import Any

import numpy as np

from crosslingua.arrays import check_whole, real_array
from crosslingua.errors import ConfigError
from crosslingua.lexicon_induction import exact
from crosslingua.provenance import processor_flags

# Multiplications of a product that repay, by bfloat16, the load of its kernels (0.8 s), and of torch (2 s) where no
# module has loaded torch; 1e10 multiplications save 0.6 s on two cores of an AMD EPYC.
KERNELS, TORCH = 1.4e10, 3.6e10
SMALL = 2.4e10  # of 9,000 words and 300 dimensions; below, float32 is the faster one


def device_type(name: str) -> str:
    """Return cpu or cuda for a value of `--device`, without torch's import for cpu; errors as `device_of`."""
    if name == "cpu":
        return name
    from crosslingua.nn.optimiser import device_of

    return device_of(name).type


def nearest(
    source: np.ndarray,
    target: np.ndarray,
    rows: np.ndarray | None = None,
    *,
    k: int = 10,
    neighbours: int = 10,
    device: str = "cpu",
) -> tuple[np.ndarray, np.ndarray]:
    """Return the `k` targets with the highest cosine for each of the `rows` of `source` (None: all).

    `source` is (n, d), `target` (m, d). Result: indices (len(rows), k) int64 and cosines float32, best first.
    `neighbours` has no effect. `device` is cpu or cuda. Raises ConfigError for unequal dimensions, zero or non-finite
    vectors, k < 1, and rows that `source` lacks.
    """
    source, target = _prepare(source, target, k)
    rows = _rows(rows, len(source))
    queries = source if rows is None else source[rows]
    return _engine(len(queries), target, k, device).top(queries, target, k)


def csls(
    source: np.ndarray,
    target: np.ndarray,
    rows: np.ndarray | None = None,
    *,
    k: int = 10,
    neighbours: int = 10,
    means: tuple[np.ndarray, np.ndarray] | None = None,
    device: str = "cpu",
) -> tuple[np.ndarray, np.ndarray]:
    """Return the `k` targets with the highest CSLS (Conneau et al. 2018, section 2.3) for each of `rows`, as `nearest`.

    CSLS(x, y) = 2 cos(x, y) - r_T(x) - r_S(y). r_T is the mean cosine of x with its `neighbours` nearest targets, r_S
    the mean cosine of y with its nearest sources. Searches may share these `means` (`mean_similarities`).
    """
    source, target = _prepare(source, target, k)
    rows = _rows(rows, len(source))
    check_whole(neighbours, "neighbours", 1)
    queries = source if rows is None else source[rows]
    if means is None:
        means = _hubness(source, target, rows, neighbours, device)
    else:
        if len(means) != 2:
            raise ConfigError("means: give two arrays, as mean_similarities returns them")
        r_target, r_source = (real_array(one, "means", 1, finite=True) for one in means)
        if (len(r_target), len(r_source)) != (len(source), len(target)):
            raise ConfigError(
                f"means of {len(r_target)} source and {len(r_source)} target vectors for {len(source)} and "
                f"{len(target)}: compute them by mean_similarities"
            )
        means = r_target if rows is None else r_target[rows], r_source
    return _engine(len(queries), target, k, device).top(queries, target, k, means)


def mean_similarities(
    source: np.ndarray, target: np.ndarray, neighbours: int = 10, device: str = "cpu"
) -> tuple[np.ndarray, np.ndarray]:
    """Return CSLS's r_T (n,) of `source` (n, d) and r_S (m,) of `target` (m, d), float64. Errors as `csls`."""
    return _hubness(*_prepare(source, target, neighbours), None, neighbours, device)


def retrieve_back(
    source: np.ndarray, target: np.ndarray, best: np.ndarray, search: Callable = csls, **how: Any
) -> np.ndarray:
    """Return the row (n,) of `source` that each target row in `best` (n,) retrieves by `search`."""
    asked, place = np.unique(best, return_inverse=True)
    return search(target, source, asked, k=1, **how)[0][place, 0]


def unit_rows(matrix: np.ndarray, name: str = "matrix") -> np.ndarray:
    """Return the rows of `matrix` (n, d) at length 1, float32; ConfigError where a row has no direction."""
    matrix = np.asarray(matrix)
    norms = np.sqrt(np.einsum("ij,ij->i", matrix, matrix, dtype=np.float64))
    bad = np.flatnonzero(~(np.isfinite(norms) & (norms > 0)))
    if len(bad):
        raise ConfigError(f"{len(bad)} zero or non-finite vectors in {name}, the first in row {bad[0]}")
    unit = np.empty(matrix.shape, dtype=np.float32)
    np.divide(matrix, norms[:, None], out=unit, casting="same_kind")
    return unit


def mean_cosine(x: np.ndarray, y: np.ndarray) -> float:
    """Return the mean cosine of the rows of `x` (n, d) and of `y` (n, d)."""
    return float(np.einsum("ij,ij->i", unit_rows(x), unit_rows(y), dtype=np.float64).mean())


def _hubness(
    source: np.ndarray, target: np.ndarray, rows: np.ndarray | None, neighbours: int, device: str = "cpu"
) -> tuple[np.ndarray, np.ndarray]:
    """Return r_T of the queries and r_S (m,) of the targets: means of as many cosines as there are, at most."""
    queries = source if rows is None else source[rows]
    engine = _engine(len(queries), target, neighbours, device)
    if rows is None and hasattr(engine, "top_both"):
        r_target, r_source = engine.top_both(source, target, neighbours)
    else:
        _, r_target = engine.top(queries, target, neighbours)
        _, r_source = _engine(len(target), source, neighbours, device).top(target, source, neighbours)
    return r_target.mean(axis=1, dtype=np.float64), r_source.mean(axis=1, dtype=np.float64)


def _engine(queries: int, candidates: np.ndarray, k: int, device: str) -> ModuleType:
    """Return the module that screens fastest; all modules of the processor give the same bits."""
    if device not in ("cpu", "cuda"):
        raise ConfigError(f"device {device!r}: say cpu or cuda")
    if device == "cuda":
        from crosslingua.lexicon_induction import gpu

        return gpu
    slow = queries * candidates.size < repaid() or 3 * k > exact.BUFFER
    if slow or not processor_flags() & {"avx512_bf16", "amx_bf16"} or not find_spec("torch"):
        return exact
    from crosslingua.lexicon_induction import bf16  # takes seconds to import

    return bf16


def repaid() -> float:
    """Return how many multiplications repay what bfloat16 has still to load."""
    if "crosslingua.lexicon_induction.bf16" in sys.modules:
        return SMALL
    return KERNELS + TORCH * ("torch" not in sys.modules)


def _prepare(source: np.ndarray, target: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    check_whole(k, "the number of neighbours", 1)
    source, target = real_array(source, "source", 2), real_array(target, "target", 2)
    if source.shape[1] != target.shape[1]:
        raise ConfigError(
            f"source {source.shape} and target {target.shape} vectors must have equally many columns: "
            "map both into one space first"
        )
    if not len(source) or not len(target):
        raise ConfigError("retrieval needs at least one vector on either side")
    return unit_rows(source, "source"), unit_rows(target, "target")


def _rows(rows: np.ndarray | None, number: int) -> np.ndarray | None:
    """Return rows of a matrix of so many. Raises ConfigError for what it lacks."""
    if rows is None:
        return None
    rows = real_array(rows, "rows", 1)
    if rows.dtype.kind == "b" and len(rows) == number:
        return np.flatnonzero(rows)
    if len(rows) and (rows.dtype.kind not in "iu" or rows.min() < 0 or rows.max() >= number):
        raise ConfigError(f"rows: give whole numbers from 0 to {number - 1}, the rows of source")
    return rows.astype(np.int64)
