"""Training in bfloat16 on a GPU: a copy computes, and the module itself keeps its weights in single precision."""

import copy

import torch
from torch import nn


class Half:
    """A copy of `module` in bfloat16. Without autocast, which casts every weight and most states in every step."""

    def __init__(self, module: nn.Module):
        self.module = copy.deepcopy(module).bfloat16()
        self._own, self._copies = list(module.parameters()), list(self.module.parameters())
        self._gradients = [torch.empty_like(weight) for weight in self._own]

    @torch.no_grad()
    def hand_over(self) -> None:
        """Move the copy's gradients to the module."""
        used = [at for at, weight in enumerate(self._copies) if weight.grad is not None]
        if used:
            torch._foreach_copy_([self._gradients[at] for at in used], [self._copies[at].grad for at in used])
        for at in used:
            self._own[at].grad, self._copies[at].grad = self._gradients[at], None

    @torch.no_grad()
    def renew(self) -> None:
        """Round the module's weights anew."""
        torch._foreach_copy_(self._copies, self._own)
