"""Adam and SGD with L2 regularisation and a rate that is given at every step, by torch's fused kernels.

`torch.optim` is not used for the reason given in `optimiser`. L2 adds `l2 * w` to the gradient of every weight w, as
torch's `weight_decay` does; for Adam that is not AdamW's decay.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import torch
from torch import nn

BETAS, EPSILON = (0.9, 0.999), 1e-8  # of Adam (Kingma and Ba 2015)
# Of the 1cycle policy (Smith 2018): rise in 30 % of the steps from a 25th of the rate, fall to nearly nothing, both as
# a cosine (fastai's and torch's form); momentum goes the other way.
RISING, START, END = 0.3, 1 / 25, 1 / 250_000
MOMENTUM = (0.85, 0.95)


class Adam:
    """Adam at a constant rate."""

    def __init__(self, parameters: Iterable[nn.Parameter], lr: float, l2: float):
        self._parameters, self._lr, self._l2 = list(parameters), lr, l2
        self._means = [torch.zeros_like(p) for p in self._parameters]
        self._squares = [torch.zeros_like(p) for p in self._parameters]
        self._steps = [torch.zeros((), device=p.device) for p in self._parameters]

    @torch.no_grad()
    def step(self, progress: float) -> None:
        """Update by the gradients; `progress` has no effect."""
        torch._foreach_add_(self._steps, 1)
        torch._fused_adam_(
            self._parameters, _gradients(self._parameters), self._means, self._squares, [], self._steps,
            lr=self._lr, beta1=BETAS[0], beta2=BETAS[1], weight_decay=self._l2, eps=EPSILON, amsgrad=False,
            maximize=False,
        )  # fmt: skip


class OneCycle:
    """SGD with momentum whose rate rises to `lr` and falls once: the 1cycle policy."""

    def __init__(self, parameters: Iterable[nn.Parameter], lr: float, l2: float):
        self._parameters, self._lr, self._l2 = list(parameters), lr, l2
        self._momenta = [torch.zeros_like(p) for p in self._parameters]
        self._first = True

    @torch.no_grad()
    def step(self, progress: float) -> None:
        """Update by the gradients; `progress`, 0 to 1, is the share of the planned steps that are done."""
        rate, momentum = one_cycle(progress)
        torch._fused_sgd_(
            self._parameters, _gradients(self._parameters), self._momenta, weight_decay=self._l2, momentum=momentum,
            lr=self._lr * rate, dampening=0.0, nesterov=False, maximize=False, is_first_step=self._first,
        )  # fmt: skip
        self._first = False


OPTIMISERS = {"adam": Adam, "one_cycle": OneCycle}


def one_cycle(progress: float) -> tuple[float, float]:
    """Return the factor of the rate and the momentum after a share of the steps, 0 to 1."""
    if progress < RISING:
        part = progress / RISING
        return _cosine(START, 1.0, part), _cosine(MOMENTUM[1], MOMENTUM[0], part)
    part = (progress - RISING) / (1 - RISING)
    return _cosine(1.0, END, part), _cosine(*MOMENTUM, part)


def _cosine(first: float, last: float, part: float) -> float:
    return last + (first - last) * (1 + math.cos(math.pi * part)) / 2


def _gradients(parameters: list[nn.Parameter]) -> list[torch.Tensor]:
    return [torch.zeros_like(p) if p.grad is None else p.grad for p in parameters]
