"""Retrieval on a GPU: half-precision products screen, and what their error cannot exclude is ranked in float64.

The bound is as in `bf16`, for float16: |x'y' - xy| <= |x||b| + |a||y'| for rounded x' = x + a and y' = y + b, with |a|
and |b| computed. The rounding of the product is added. Scores equal the scores of `exact`, whose float64 sums have
another order. Some ten of a thousand million differ in the last bit of float32.
"""

from dataclasses import dataclass
from typing import Self

import numpy as np
import torch
from torch import Tensor

from crosslingua.lexicon_induction import exact

BLOCK = 2**31  # similarities of a block: 4 GiB in float16
GROUP = 16  # columns that share a maximum
GROUPS = 32  # of the highest maxima that are looked into, at least
ROUNDING = 2.0**-10  # of a product below 2, in float16, and of its float32 sum
NEVER = 8.0  # half the bias of columns that only fill a group


@dataclass
class Searched:
    """Candidates on the GPU: as they are, and rounded with half their bias in two more columns, padded to groups."""

    exact: Tensor  # (m, d)
    rounded: Tensor  # (padded, d')
    lost: float  # the longest rounding error
    bias: Tensor | None  # (m,) float64

    @classmethod
    def of(cls, unit: Tensor, bias: Tensor | None) -> Self:
        """Round unit vectors (m, d)."""
        m, d = unit.shape
        half = unit.new_zeros(m) if bias is None else (bias / 2).float()
        high = half.half()
        rounded = unit.new_zeros((-(-m // GROUP) * GROUP, -(-(d + 2) // 8) * 8), dtype=torch.float16)
        rounded[:m, :d], rounded[:m, d], rounded[:m, d + 1] = unit, high, half - high.float()
        rounded[m:, d] = NEVER
        rest = half.double() - rounded[:m, d].double() - rounded[:m, d + 1].double()
        return cls(unit, rounded, float((_lost(unit, rounded) + rest.abs()).max()), bias)


def top(
    queries: np.ndarray, candidates: np.ndarray, k: int, biases: exact.Biases = None, device: str = "cuda"
) -> exact.Ranked:
    """Return what `exact.top` returns."""
    k = min(k, len(candidates))
    unit, searched_unit = (torch.from_numpy(x).to(device) for x in (queries, candidates))
    own, other = (None, None) if biases is None else (torch.from_numpy(b).to(device) for b in biases)
    searched = Searched.of(searched_unit, other)
    step = max(1, BLOCK // len(searched.rounded))
    found = [
        _best(unit[start : start + step], None if own is None else own[start : start + step], searched, k)
        for start in range(0, len(unit), step)
    ]
    return tuple(torch.cat(parts).cpu().numpy() for parts in zip(*found, strict=True))


def _lost(unit: Tensor, rounded: Tensor) -> Tensor:
    """Return the lengths (n,) of the rounding errors, float64."""
    error = rounded[: len(unit), : unit.shape[1]].float() - unit  # exact in float32: both are near
    return error.norm(dim=1).double()


def _best(unit: Tensor, own: Tensor | None, searched: Searched, k: int) -> tuple[Tensor, Tensor]:
    """Return the indices and scores (n, k) of the best candidates of some queries (n, d)."""
    n, d = unit.shape
    rounded = unit.new_zeros((n, searched.rounded.shape[1]), dtype=torch.float16)
    rounded[:, :d], rounded[:, d : d + 2] = unit, -1
    product = _product(rounded, searched.rounded.T)
    length = 1 + 2.0**-20
    slack = length * searched.lost + _lost(unit, rounded) * (length + searched.lost) + ROUNDING
    rows, columns = _screened(product, k, (2 * slack).float())
    scores = _cosines(unit, searched.exact, rows, columns).double()
    if own is not None:
        scores = 2 * scores - own[rows] - searched.bias[columns]
    return _ranked(rows, columns, scores.float(), n, k)


def _product(a: Tensor, b: Tensor) -> Tensor:
    """Return the float16 product, with the float32 sums that the bound assumes."""
    before = torch.backends.cuda.matmul.allow_fp16_reduced_precision_reduction
    torch.backends.cuda.matmul.allow_fp16_reduced_precision_reduction = False
    try:
        return a @ b
    finally:
        torch.backends.cuda.matmul.allow_fp16_reduced_precision_reduction = before


def _screened(product: Tensor, k: int, margin: Tensor) -> tuple[Tensor, Tensor]:
    """Return rows and columns of all that may be among a row's `k` best, by row and column."""
    n, width = product.shape
    groups = product.view(n, GROUP, width // GROUP)
    maxima, chosen = groups.amax(1).topk(min(max(GROUPS, 2 * k), width // GROUP), dim=1)
    bars = margin.new_full((n,), -NEVER / 2)  # which columns that fill a group do not reach
    if maxima.shape[1] >= k:  # else there are so few columns that all are looked at
        bars = bars.maximum(maxima[:, k - 1].float() - margin)
    kept = groups.gather(2, chosen[:, None].expand(-1, GROUP, -1))
    rows, members, places = (kept.float() >= bars[:, None, None]).nonzero().T
    columns = members * (width // GROUP) + chosen[rows, places]
    if maxima.shape[1] < width // GROUP:
        missed = (maxima[:, -1].float() >= bars).nonzero()[:, 0]  # more groups may hold some
        for row in missed.tolist():
            others = (product[row].float() >= bars[row]).nonzero()[:, 0]
            stay = rows != row
            rows = torch.cat([rows[stay], others.new_full(others.shape, row)])
            columns = torch.cat([columns[stay], others])
    order = (rows * width + columns).argsort()
    return rows[order], columns[order]


def _cosines(unit: Tensor, candidates: Tensor, rows: Tensor, columns: Tensor) -> Tensor:
    """Return the float32 cosines of pairs, summed in float64."""
    step = max(1, exact.PAIRS * 4 // unit.shape[1])
    parts = [
        torch.linalg.vecdot(unit[r].double(), candidates[c].double()).float()
        for r, c in zip(rows.split(step), columns.split(step), strict=True)
    ]
    return torch.cat(parts)


def _ranked(rows: Tensor, columns: Tensor, scores: Tensor, n: int, k: int) -> tuple[Tensor, Tensor]:
    """Return columns and scores (n, k) of each row's best: score descending, then column ascending."""
    counts = torch.bincount(rows, minlength=n)
    place = torch.arange(len(rows), device=rows.device) - (counts.cumsum(0) - counts)[rows]
    table = scores.new_full((n, int(counts.max())), -torch.inf)
    table[rows, place] = scores
    names = columns.new_zeros(table.shape)
    names[rows, place] = columns
    best, order = table.sort(dim=1, descending=True, stable=True)
    return names.gather(1, order[:, :k]), best[:, :k]
