"""AdamW (Loshchilov and Hutter 2019) by torch's fused kernel.

`torch.optim` is not used because its first call imports torch's compiler: a second of processor time for every run.
"""

from collections.abc import Iterable
from typing import Any

import torch
from torch import Tensor, nn


class AdamW:
    """Updates parameters in place. Biases and scales of normalisation, of one dimension, do not decay (BERT)."""

    def __init__(
        self,
        parameters: Iterable[nn.Parameter],
        weight_decay: float,
        betas: tuple[float, float],
        epsilon: float,
    ):
        every = list(parameters)
        groups = [
            ([p for p in every if p.ndim > 1], weight_decay),
            ([p for p in every if p.ndim <= 1], 0.0),
        ]
        self._groups = [(members, decay) for members, decay in groups if members]
        self._betas, self._epsilon = betas, epsilon
        self._parameters = [p for members, _ in self._groups for p in members]
        self._means = [torch.zeros_like(p) for p in self._parameters]
        self._squares = [torch.zeros_like(p) for p in self._parameters]
        self._steps = [torch.zeros((), device=p.device) for p in self._parameters]

    @torch.no_grad()
    def step(self, lr: float | Tensor) -> None:
        """Update all parameters by their gradients; one without a gradient is taken to have a zero one."""
        start = 0
        for members, decay in self._groups:
            chosen = slice(start, start + len(members))
            start += len(members)
            torch._foreach_add_(self._steps[chosen], 1)
            torch._fused_adamw_(
                members,
                [torch.zeros_like(p) if p.grad is None else p.grad for p in members],
                self._means[chosen],
                self._squares[chosen],
                [],
                self._steps[chosen],
                lr=lr,
                beta1=self._betas[0],
                beta2=self._betas[1],
                weight_decay=decay,
                eps=self._epsilon,
                amsgrad=False,
                maximize=False,
            )

    def zero_grad(self) -> None:
        """Forget the gradients."""
        for parameter in self._parameters:
            parameter.grad = None

    def state_dict(self) -> dict[str, Any]:
        """Return the running means and step numbers."""
        return {"means": self._means, "squares": self._squares, "steps": self._steps}

    @torch.no_grad()
    def load_state_dict(self, state: dict[str, list[Tensor]]) -> None:
        """Go on from a `state_dict`."""
        for name, mine in self.state_dict().items():
            for tensor, saved in zip(mine, state[name], strict=True):
                tensor.copy_(saved)


# How many threads torch works with.


def use_threads(number: int) -> None:
    """Let torch work with `number` threads, after MKL has chosen its kernels in one.

    MKL's mathematics of vectors (torch's log, exp, ...) looks at the processor when it is first called. Of two threads
    that call it first at once, one may compute with another kernel, and so with other last bits: in 35 of 7,175
    processes that aligned words, in none of 9,072 after a call in one thread.
    """
    torch.set_num_threads(1)
    torch.log(torch.ones(1))
    torch.set_num_threads(number)
