"""What a pre-training costs: its memory and time, before it begins.

Memory is that of weights, gradients and AdamW's moments, and of what a backward pass keeps of one part of a batch. Time
is the arithmetic of all steps at the speed of matrix products of the model's size, which is measured on this machine.
"""

import logging
import os
import time
from dataclasses import dataclass
from typing import Self

import psutil
import torch

from crosslingua.encoders.data import Pieces
from crosslingua.encoders.folder import load_config, shape_of
from crosslingua.encoders.settings import Pretraining
from crosslingua.errors import ConfigError
from crosslingua.nn.bert import Shape
from crosslingua.nn.optimiser import device_of

log = logging.getLogger(__name__)
FIXED = 0.4e9  # bytes of Python and torch
KEPT = 24  # numbers that a layer keeps of a token and a hidden dimension, with feed-forward of four times the size
USED = 0.8  # share of the speed of matrix products that training reaches
PASSES = 3  # a backward pass computes twice what the forward pass does
LONGEST_DAYS = 7  # of a processor


@dataclass(frozen=True)
class Cost:
    """Bytes that one process needs, its seconds of training, and the bytes that there are."""

    memory: float
    seconds: float
    available: float
    device: str

    @classmethod
    def of(cls, run: Pretraining) -> Self:
        """Estimate a run on this machine, for the largest batches that its settings allow."""
        settings = run.settings
        device = device_of(settings.device)
        shape = _shape(run)
        streams = 2 if settings.parallel == "summed" and run.needs("text") and run.needs("bitext") else 1
        size = settings.batch_size * (1 if settings.batch_unit == "tokens" else settings.max_length)
        processes = int(os.environ.get("WORLD_SIZE", 1))
        tokens = streams * size / processes
        length = min(settings.max_length, size)
        layers = shape.layers * (2 if "span_corruption" in run.objectives else 1)  # and a decoder
        weights = layers * (4 * shape.hidden + 2 * shape.feed_forward) * shape.hidden
        embedded = (shape.vocabulary + shape.positions) * shape.hidden
        predicted = settings.mask_probability * shape.vocabulary
        attended = layers * length * 2 * shape.hidden
        part = tokens / settings.accumulate
        kept = layers * KEPT * (shape.hidden + shape.feed_forward / 4) / 2 + layers * shape.heads * length
        memory = FIXED + 4 * (4 * (weights + embedded) + part * (kept + 3 * predicted))
        each = 2 * PASSES * (weights + attended + predicted * shape.hidden)
        seconds = settings.steps * tokens * each / (USED * _speed(shape.hidden, device))
        on_gpu = device.type == "cuda"
        available = torch.cuda.mem_get_info(device)[0] if on_gpu else psutil.virtual_memory().available
        return cls(memory, seconds, available, device.type)

    def __str__(self) -> str:
        where = "GPU" if self.device == "cuda" else "processor"
        return (
            f"about {_told(self.seconds)} of this {where} and {self.memory / 2**30:.1f} GB of memory, of which"
            f" {self.available / 2**30:.1f} GB are free"
        )

    def refuse(self) -> None:
        """Raise ConfigError where memory does not suffice, or a processor would work for more than LONGEST_DAYS."""
        long = self.device == "cpu" and self.seconds > LONGEST_DAYS * 86400
        if long or self.memory > self.available:
            raise ConfigError(
                f"this training takes {self}: set lower layers, hidden, steps or batch_size, or higher accumulate"
                " (--set), or say --yes to train all the same"
            )


def _told(seconds: float) -> str:
    for unit, size in (("days", 86400), ("hours", 3600)):
        if seconds > 2 * size:
            return f"{seconds / size:,.0f} {unit}"
    return f"{max(1, round(seconds / 60))} min"


def _shape(run: Pretraining) -> Shape:
    settings = run.settings
    if run.init is not None:
        return shape_of(load_config(run.init), run.init, settings.dropout)
    return Shape(
        Pieces(run.tokenizer).size, settings.hidden, settings.layers, settings.heads, settings.feed_forward_size,
        settings.max_positions, 0, 1, settings.dropout, 1e-5, 1,
    )  # fmt: skip


def _speed(hidden: int, device: torch.device) -> float:
    """Return the operations a second of products as of one layer, the best of a few; other programs do not count."""
    a, b = torch.ones(1024, hidden, device=device), torch.ones(hidden, 4 * hidden, device=device)
    clock, threads = (
        (time.perf_counter, 1) if device.type == "cuda" else (time.process_time, torch.get_num_threads())
    )
    best = 0.0
    for _ in range(5):
        start = clock()
        (a @ b).sum().item()
        best = max(best, 2 * a.numel() * b.shape[1] * threads / max(clock() - start, 1e-6))
    return best
