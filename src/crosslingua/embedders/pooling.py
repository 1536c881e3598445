"""From pieces to words: pooling over the pieces of each word separately (laser_taggers, 'LASER-top')."""

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


def side_by_side(pieces: Tensor, sizes: Tensor) -> tuple[Tensor, Tensor]:
    """Return pieces (pieces, d) in rows of `sizes` (rows,): (rows, longest, d), and which are real (rows, longest)."""
    steps = torch.arange(int(sizes.max()), device=sizes.device)
    real = steps < sizes[:, None]
    first = sizes.cumsum(0) - sizes
    places = torch.where(real, first[:, None] + steps, 0)
    return pieces[places], real


def in_sentences(words: Tensor, mask: Tensor) -> Tensor:
    """Return words (words, d) where `mask` (batch, words) is true, (batch, words, d); zero elsewhere."""
    found = words.new_zeros(*mask.shape, words.shape[-1])
    return found.masked_scatter(mask[:, :, None], words)
