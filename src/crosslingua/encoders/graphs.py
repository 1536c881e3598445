"""Updates as CUDA graphs: a GPU repeats what it did for a batch of the same shape, and nothing is launched anew."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from crosslingua.encoders.batches import Batch
from crosslingua.encoders.resident import Drawn

MOST = 8  # graphs that are kept; batches of other shapes are computed without
Parts = Mapping[str, Sequence["Drawn | Sent"]]


@dataclass
class Sent:
    """A part of a batch whose layout lies on the GPU, where each replay finds another."""

    drawn: Drawn
    layout: Tensor

    def tensors(self, device: torch.device) -> Batch:
        """Return the batch."""
        return self.drawn.made(self.layout)


class Graphs:
    """Calls `update`, which changes the weights and returns the losses, for batches of `Drawn` parts and a rate.

    A shape is computed as usual when it is first seen, which compiles and reserves what it needs, and recorded when
    it is seen again.
    """

    def __init__(self, update: Callable[[Parts, Tensor], Tensor], device: torch.device):
        self._update, self._stream = update, torch.cuda.Stream(device)
        self._rate = torch.zeros((), device=device)
        self._seen: Counter[tuple] = Counter()
        self._recorded: dict[tuple, tuple[torch.cuda.CUDAGraph, list[Sent], Tensor]] = {}

    def __call__(self, batches: Parts, rate: float) -> Tensor:
        """Update the weights; return the losses."""
        self._stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(self._stream):
            self._rate.fill_(rate)
            losses = self._on_stream(batches)
        torch.cuda.current_stream().wait_stream(self._stream)
        return losses

    def _on_stream(self, batches: Parts) -> Tensor:
        parts = [part for stream in batches.values() for part in stream]
        shape = tuple(part.shape for part in parts)
        self._seen[shape] += 1
        if shape not in self._recorded:
            if self._seen[shape] == 1 or len(self._recorded) == MOST:
                return self._update(batches, self._rate)
            self._record(batches, shape)
        graph, sent, losses = self._recorded[shape]
        for mine, part in zip(sent, parts, strict=True):
            mine.layout.copy_(part.layout().pin_memory(), non_blocking=True)
        graph.replay()
        return losses.clone()

    def _record(self, batches: Parts, shape: tuple) -> None:
        sent = {
            name: [Sent(part, part.layout().to(self._rate.device)) for part in parts]
            for name, parts in batches.items()
        }
        pool = next(iter(self._recorded.values()))[0].pool() if self._recorded else None
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, pool=pool, stream=self._stream):
            losses = self._update(sent, self._rate)
        self._recorded[shape] = graph, [part for parts in sent.values() for part in parts], losses
