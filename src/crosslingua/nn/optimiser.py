"""Adam, AdamW and SGD under the 1cycle policy by torch's fused kernels, and torch's threads and devices.

`torch.optim` is not used because its first call imports torch's compiler: a second of processor time for every run.
"""

import math
import os
from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch import Tensor, nn

from crosslingua.errors import ConfigError

# The 1cycle policy (Smith 2018): the rate rises from a 25th in 30 % of the steps and falls to nearly zero, both as a
# cosine (fastai's and torch's form). Momentum goes the other way.
RISING, START, END = 0.3, 1 / 25, 1 / 250_000
MOMENTUM = (0.85, 0.95)


class _Adam:
    """What its two forms have in common. `groups` are parameters with their decay; they are changed in place."""

    kernel: Callable[..., None]

    def __init__(
        self, groups: Iterable[tuple[list[nn.Parameter], float]], betas: tuple[float, float], epsilon: float
    ):
        self._groups = [(members, decay) for members, decay in groups if members]
        self._betas, self._epsilon = betas, epsilon
        self._parameters = [p for members, _ in self._groups for p in members]
        self._means = [torch.zeros_like(p) for p in self._parameters]
        self._squares = [torch.zeros_like(p) for p in self._parameters]
        self._steps = [torch.zeros((), device=p.device) for p in self._parameters]

    @torch.no_grad()
    def step(self, lr: float | Tensor) -> None:
        """Update all parameters by their gradients; a missing gradient counts as zero."""
        start = 0
        for members, decay in self._groups:
            chosen = slice(start, start + len(members))
            start += len(members)
            torch._foreach_add_(self._steps[chosen], 1)
            self.kernel(
                members, _gradients(members), self._means[chosen], self._squares[chosen], [], self._steps[chosen],
                lr=lr, beta1=self._betas[0], beta2=self._betas[1], weight_decay=decay, eps=self._epsilon,
                amsgrad=False, maximize=False,
            )  # fmt: skip

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


class AdamW(_Adam):
    """AdamW (Loshchilov and Hutter 2019). Biases and scales of normalisation, of one dimension, do not decay (BERT)."""

    kernel = staticmethod(torch._fused_adamw_)

    def __init__(
        self,
        parameters: Iterable[nn.Parameter],
        weight_decay: float,
        betas: tuple[float, float],
        epsilon: float,
    ):
        every = list(parameters)
        matrices, vectors = [p for p in every if p.ndim > 1], [p for p in every if p.ndim <= 1]
        super().__init__([(matrices, weight_decay), (vectors, 0.0)], betas, epsilon)


class Adam(_Adam):
    """Adam (Kingma and Ba 2015) at a constant rate; L2 adds `l2 * w` to the gradient of every weight w."""

    kernel = staticmethod(torch._fused_adam_)

    def __init__(self, parameters: Iterable[nn.Parameter], lr: float, l2: float):
        super().__init__([(list(parameters), l2)], (0.9, 0.999), 1e-8)
        self._lr = lr

    def step(self, progress: float) -> None:
        """Update by the gradients; `progress` has no effect."""
        super().step(self._lr)


class OneCycle:
    """SGD with momentum, and L2 as `Adam` has it, whose rate rises to `lr` and falls once: the 1cycle policy."""

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


def one_cycle(progress: float) -> tuple[float, float]:
    """Return the factor of the rate and the momentum after a share of the steps, 0 to 1."""
    if progress < RISING:
        part = progress / RISING
        return _cosine(START, 1.0, part), _cosine(MOMENTUM[1], MOMENTUM[0], part)
    part = (progress - RISING) / (1 - RISING)
    return _cosine(1.0, END, part), _cosine(*MOMENTUM, part)


def _cosine(first: float, last: float, part: float) -> float:
    return last + (first - last) * (1 + math.cos(math.pi * part)) / 2


def _gradients(parameters: list[nn.Parameter]) -> list[Tensor]:
    return [torch.zeros_like(p) if p.grad is None else p.grad for p in parameters]


# How many threads torch works with.


def use_threads(number: int) -> None:
    """Let torch work with `number` threads, after MKL has chosen its kernels in one.

    MKL's vector mathematics (torch's log, exp, ...) inspects the processor at the first call. If two threads make the
    first call at once, one may compute with another kernel, and so with other last bits. This happened in 35 of 7,175
    processes, and in none of 9,072 after a first call in one thread.
    """
    torch.set_num_threads(1)
    torch.log(torch.ones(1))
    torch.set_num_threads(number)


def device_of(name: str) -> torch.device:
    """Return the device that `auto`, `cpu` or `cuda` names; under torchrun, each process gets a GPU of its own. Raises
    ConfigError where there is no such GPU.
    """
    if name == "cuda" and not torch.cuda.is_available():
        raise ConfigError("device is cuda, but torch finds no GPU: say cpu or auto")
    if name == "cpu" or not torch.cuda.is_available():
        return torch.device("cpu")
    number, there = int(os.environ.get("LOCAL_RANK", 0)), torch.cuda.device_count()
    if number >= there:
        raise ConfigError(
            f"process {number} has no GPU: torch finds {there}; start as many processes, or say cpu"
        )
    torch.cuda.set_device(number)
    torch.backends.cudnn.allow_tf32 = False  # LSTMs as exact as all else is
    return torch.device("cuda", number)
