"""The processes of a run: one, or several that torchrun started."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import torch
import torch.distributed as dist
from torch import Tensor, nn

from crosslingua.errors import ConfigError, CrosslinguaError


@dataclass(frozen=True)
class Processes:
    """This process among `size`."""

    rank: int
    size: int
    device: torch.device

    @property
    def first(self) -> bool:
        """Whether this process writes files and shows progress."""
        return self.rank == 0

    def wrap(self, module: nn.Module, partly_used: bool = False) -> nn.Module:
        """Return the module with its gradients averaged over processes; `partly_used`: some weights may have none."""
        if self.size == 1:
            return module
        devices = [self.device] if self.device.type == "cuda" else None
        return nn.parallel.DistributedDataParallel(
            module, device_ids=devices, find_unused_parameters=partly_used
        )

    def summed(self, values: Tensor) -> Tensor:
        """Return the sum of a tensor over processes."""
        if self.size > 1:
            dist.all_reduce(values)
        return values

    def wait(self) -> None:
        """Wait for the other processes."""
        if self.size > 1:
            dist.barrier()


@contextmanager
def processes(device: str) -> Iterator[Processes]:
    """Join the processes that torchrun started, or be the only one.

    Raises ConfigError if there is no such device, CrosslinguaError if it fails at work.
    """
    chosen = _device(device)
    rank, size = (int(os.environ.get(name, default)) for name, default in (("RANK", 0), ("WORLD_SIZE", 1)))
    if size > 1:
        dist.init_process_group("nccl" if chosen.type == "cuda" else "gloo")
    try:
        yield Processes(rank, size, chosen)
    except torch.OutOfMemoryError as error:
        raise CrosslinguaError(
            f"{chosen} has too little memory: set accumulate higher or batch_size lower ({_first_line(error)})"
        ) from None
    except torch.AcceleratorError as error:
        raise CrosslinguaError(f"{chosen} failed: {_first_line(error)}") from error
    finally:
        if size > 1:
            dist.destroy_process_group()


def _device(name: str) -> torch.device:
    """Return this process's device: of GPUs, one each."""
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
    return torch.device("cuda", number)


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0]
