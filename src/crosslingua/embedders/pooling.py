"""From pieces to words: max-pooling over time, for each word separately (laser_taggers, 'LASER-top')."""

from __future__ import annotations

import torch
from torch import Tensor


def max_over_pieces(states: Tensor, sizes: Tensor) -> Tensor:
    """Return the maximum (words, d) of `states` (pieces, d) over the `sizes` (words,) pieces of each word.

    Words stand one after the other, each with at least one piece.
    """
    return torch.segment_reduce(states, "max", lengths=sizes, axis=0)


def mean_over_pieces(states: Tensor, sizes: Tensor) -> Tensor:
    """Return the mean (words, d) of `states` (pieces, d) over the `sizes` (words,) pieces of each word."""
    return torch.segment_reduce(states, "mean", lengths=sizes, axis=0)


def padded_by_word(pieces: Tensor, sizes: Tensor) -> tuple[Tensor, Tensor]:
    """Return the pieces of each word side by side (words, longest, d), and which of them are real (words, longest)."""
    steps = torch.arange(int(sizes.max()), device=sizes.device)
    real = steps < sizes[:, None]
    first = sizes.cumsum(0) - sizes
    places = torch.where(real, first[:, None] + steps, 0)
    return pieces[places], real
