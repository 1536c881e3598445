"""Attention within sequences that stand end to end in one row: no padding is computed, and shapes stay the same."""

from typing import NamedTuple, Self

import torch
import torch.nn.functional as F
from torch import Tensor


class Spans(NamedTuple):
    """Where sequences begin, and the last ends, among the tokens of one row, `keys` (s + 1,) int32.

    `queries` (s + 1,) tells the same of the tokens that look at them, `masked` (s + 1,) of the masked positions.
    `longest`, `most` and `most_masked` bound how many of each a sequence has.
    """

    keys: Tensor
    queries: Tensor
    masked: Tensor
    longest: int
    most: int
    most_masked: int

    def of_masked(self) -> Self:
        """Return the same sequences, looked at from their masked positions only."""
        return self._replace(queries=self.masked, most=self.most_masked)

    def attend(self, q: Tensor, k: Tensor, v: Tensor, dropout: float) -> Tensor:
        """Return what queries (1, h, n, d) see of the keys (1, h, t, d) of their own sequence: (1, h, n, d)."""
        if not q.is_cuda:
            return F.scaled_dot_product_attention(q, k, v, self._together(q, k), dropout)
        q, k, v = (
            x.squeeze(0).transpose(0, 1) for x in (q, k, v)
        )  # x[0] would be copied in the backward pass
        # torch's public function for this, varlen_attn, has no dropout.
        found = torch.ops.aten._flash_attention_forward(
            q, k, v, self.queries, self.keys, self.most, self.longest, dropout, False, False
        )
        return found[0].transpose(0, 1).unsqueeze(0)

    def _together(self, q: Tensor, k: Tensor) -> Tensor:
        """Return the bool (n, t) where a query and a key are of one sequence."""
        asking, asked = (
            torch.searchsorted(starts, torch.arange(x.shape[2], dtype=torch.int32), right=True)
            for starts, x in ((self.queries, q), (self.keys, k))
        )
        return asking[:, None] == asked
