"""Computing in bfloat16 where it is fast; weights in single precision beside rounded ones; a dropout that costs little.

Autocast rounds every weight and most states in every step, and torch's dropout on CPUs takes longer than many products.
"""

import copy
import logging
from collections.abc import Iterable
from functools import cache

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from crosslingua.provenance import has_bf16

VALUES = 2**16  # of the 16 random bits that decide on one value
LEAST = 0.05  # rate of dropout that a factor of bfloat16 comes near to


def in_half(precision: str, device: torch.device | str) -> bool:
    """Whether a model on a device computes in bfloat16: if its precision is `bf16`, and the device has instructions.

    A processor without them takes 25 times as long in bfloat16 as in single precision, which then takes its place.
    """
    if precision != "bf16" or torch.device(device).type != "cpu" or has_bf16():
        return precision == "bf16"
    _tell()
    return False


@cache
def _tell() -> None:
    """Say once that the processor decides."""
    logging.getLogger(__name__).info(
        "no bf16 instructions in this processor: precision=bf16 computes in fp32"
    )


class Half:
    """Weights `own` in single precision, and their rounded `copies`, which compute and get the gradients."""

    def __init__(self, own: Iterable[nn.Parameter], copies: Iterable[nn.Parameter]):
        self._own, self._copies = list(own), list(copies)
        self._gradients = [torch.empty_like(weight) for weight in self._own]

    @torch.no_grad()
    def hand_over(self) -> None:
        """Add the copies' gradients to those of the weights, in single precision."""
        used = [at for at, weight in enumerate(self._copies) if weight.grad is not None]
        for there, put in ((False, torch._foreach_copy_), (True, torch._foreach_add_)):
            ours = [at for at in used if (self._own[at].grad is not None) is there]
            if ours:
                put([self._gradients[at] for at in ours], [self._copies[at].grad for at in ours])
        for at in used:
            self._own[at].grad, self._copies[at].grad = self._gradients[at], None

    @torch.no_grad()
    def renew(self) -> None:
        """Round the weights anew."""
        torch._foreach_copy_(self._copies, self._own)

    begin = renew  # with weights that were read in between


class HalfModule(Half):
    """A copy of `module` in bfloat16, which computes."""

    def __init__(self, module: nn.Module):
        self.module = copy.deepcopy(module).bfloat16()
        super().__init__(module.parameters(), self.module.parameters())


class Rows:
    """The rows `numbers` of a table of embeddings, as a weight `own` (rows, d): all that training reads.

    Adam without weight decay changes no other row, so it need not compute with them.
    """

    def __init__(self, table: nn.Embedding, numbers: np.ndarray):
        weight = table.weight
        table.sparse = True  # gradients of the rows of a batch only
        self._table, self._numbers = table, torch.from_numpy(np.unique(numbers)).to(weight.device)
        self.own = nn.Parameter(weight.detach()[self._numbers])
        self._places = torch.empty(len(weight), dtype=torch.int64, device=weight.device)
        self._places[self._numbers] = torch.arange(len(self._numbers), device=weight.device)

    @torch.no_grad()
    def hand_over(self) -> None:
        """Make the table's gradient that of the rows."""
        found = self._table.weight.grad
        places = self._places[found._indices()[0]]
        self.own.grad = torch.zeros_like(self.own).index_add_(0, places, found._values())
        self._table.weight.grad = None

    @torch.no_grad()
    def begin(self) -> None:
        """Begin with the table's rows, if it was read in between."""
        self.own.copy_(self._table.weight[self._numbers])

    @torch.no_grad()
    def renew(self) -> None:
        """Copy the rows to the table."""
        self._table.weight.index_copy_(0, self._numbers, self.own)


class Dropout(nn.Dropout):
    """Torch's dropout; on CPUs in bfloat16 that of `dropped`."""

    def forward(self, x: Tensor) -> Tensor:
        """Return x with some values at zero, and the others larger, while training."""
        return dropped(x, self.p) if self.training else x


def dropped(x: Tensor, rate: float) -> Tensor:
    """Return x after dropout, as torch does; on CPUs in bfloat16 by 16 random bits a value.

    There the values that stay grow by 1 / (1 - rate), rounded to bfloat16, and so many stay that the mean does not
    change: 0.0986 are dropped at a rate of 0.1.
    """
    if x.dtype != torch.bfloat16 or x.is_cuda or not LEAST <= rate < 1:
        return F.dropout(x, rate)
    factor = torch.tensor(1 / (1 - rate), dtype=torch.bfloat16)
    first = VALUES // 2 - round(VALUES / factor.item())  # the lowest of the bits, as a number, that stays
    drawn = torch.empty(-(-x.numel() // 4), dtype=torch.int64).random_(-(2**63), None)
    bits = drawn.view(torch.int16)[: x.numel()]
    # 0 or 1, then the bits of 0 or of the factor: integers in place cost a tenth of comparing and converting.
    kept = bits.clamp_(first - 1, first).sub_(first - 1).mul_(factor.view(torch.int16))
    return x * kept.view(torch.bfloat16).view(x.shape)
