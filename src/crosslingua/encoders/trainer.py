"""The loop: one trainer for all objectives (xlm_align, algorithm 1; align_mlm, section 3), on one or more processes."""

import math
import os
import sys
import time
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor, nn
from tqdm import tqdm

from crosslingua.encoders.batches import Batch, Streams
from crosslingua.encoders.model import MaskedLanguageModel
from crosslingua.encoders.objectives.objective import Encoded, Objective
from crosslingua.encoders.on_gpu import Graphs, ResidentStreams
from crosslingua.encoders.settings import Settings
from crosslingua.errors import CrosslinguaError
from crosslingua.nn.checkpoint import Checkpoints
from crosslingua.nn.half import HalfModule, in_half
from crosslingua.nn.optimiser import AdamW, device_of


def prefetched(items: Iterator[Any], ahead: int = 2) -> Iterator[Any]:
    """Yield endless items in order, up to `ahead` of them drawn beforehand by a thread, while a GPU computes."""
    pool = ThreadPoolExecutor(1)
    try:
        waiting = deque(pool.submit(next, items) for _ in range(ahead))
        while True:
            item = waiting.popleft().result()
            waiting.append(pool.submit(next, items))
            yield item
    finally:
        pool.shutdown(cancel_futures=True)


# The processes of a run: one, or several that torchrun started.


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

    def wrap(self, module: nn.Module, partly_used: bool) -> nn.Module:
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
    """Join the processes that torchrun started. ConfigError: no such device; CrosslinguaError: it fails at work."""
    chosen = device_of(device)
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


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0]


# Reports of a run: a progress bar, a loss curve, and errors if training diverges.
UNSEEN = ("device", "log_every", "checkpoint_every")  # settings that change no weight
EXPLODED = 4.0  # times the loss of guessing uniformly
REMEDY = "lower lr, lengthen warmup, set clip_norm=1 or, with bf16, precision=fp32"


class Curve:
    """Means of the loss's terms over every `every` steps, as lists by name: `step`, `loss`, and one a term."""

    def __init__(self, terms: list[str], every: int):
        self.terms, self._every = terms, every
        self.points: dict[str, list[float]] = {name: [] for name in ("step", "loss", *terms)}
        self._open: list[list[float]] = []

    def add(self, step: int, values: list[float], last: bool) -> bool:
        """Add a step's terms; return whether that made a new point."""
        self._open.append(values)
        if step % self._every and not last:
            return False
        means = [sum(column) / len(self._open) for column in zip(*self._open, strict=True)]
        for name, value in zip(self.points, (step, sum(means), *means), strict=True):
            self.points[name].append(value)
        self._open = []
        return True

    def state_dict(self) -> dict[str, Any]:
        """Return what a curve can go on from."""
        return {"points": self.points, "open": self._open}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Go on from a `state_dict`."""
        self.points, self._open = state["points"], state["open"]


def check(step: int, names: list[str], values: list[float], vocabulary: int) -> None:
    """Raise CrosslinguaError if a term of a step's loss is no number or far above guessing."""
    limit = EXPLODED * math.log(vocabulary)
    for name, value in zip(names, values, strict=True):
        if not math.isfinite(value) or value > limit:
            exploded = f"exploded (guessing costs {math.log(vocabulary):.1f})"
            what = exploded if math.isfinite(value) else "is not a number"
            raise CrosslinguaError(f"step {step}: the {name} loss {what}: {value:.4g}; {REMEDY}")


def check_weights(step: int, module: nn.Module, remedy: str = REMEDY) -> None:
    """Raise CrosslinguaError if a weight is not finite after a step's update, which no loss has shown yet."""
    for name, weight in module.named_parameters():
        if not torch.isfinite(weight).all():
            raise CrosslinguaError(
                f"step {step}: the update made weights of {name} infinite or no number, and nothing is saved; {remedy}"
            )


class Reporter:
    """Shows progress on standard error, with the newest loss and speed."""

    def __init__(self, steps: int, done: int, shown: bool):
        interval = 0.2 if sys.stderr.isatty() else 15.0
        looks = {"unit": "step", "mininterval": interval, "dynamic_ncols": True}
        self._bar = tqdm(total=steps, initial=done, disable=not shown, **looks)

    def step(self) -> None:
        """Count a step."""
        self._bar.update()

    def point(self, curve: Curve, rates: dict[str, float]) -> None:
        """Show the newest point of the curve with `rates`, such as tokens a second."""
        shown = {"loss": f"{curve.points['loss'][-1]:.3f}", "tokens/s": f"{rates['tokens_per_second']:,.0f}"}
        self._bar.set_postfix(shown, refresh=False)

    def close(self) -> None:
        """Finish the bar."""
        self._bar.close()


class Loss(nn.Module):
    """The model and its objectives: from a step's batches to the terms of the loss."""

    def __init__(self, model: MaskedLanguageModel, objectives: Mapping[str, Mapping[str, Objective]]):
        super().__init__()
        self.model = model
        self.streams = nn.ModuleDict({name: nn.ModuleDict(members) for name, members in objectives.items()})
        self.terms = [term for members in objectives.values() for term in members]
        every = [member for members in objectives.values() for member in members.values()]
        self.predicts, self.recorded = any(one.predicts for one in every), all(one.recorded for one in every)

    def forward(self, batches: Mapping[str, Batch]) -> Tensor:
        """Return the terms (k,) of the loss; objectives of one stream share the forward pass."""
        terms = []
        for name, members in self.streams.items():
            every_state = any(objective.every_state for objective in members.values())
            encoded = Encoded(self.model, batches[name], every_state)
            terms += [objective(encoded) for objective in members.values()]
        return torch.stack(terms)


def learning_rate(step: int, settings: Settings) -> float:
    """Return the rate of update `step`, from 1: a linear rise to `lr`, then a linear fall to zero, or constant."""
    if step <= settings.warmup:
        return settings.lr * step / settings.warmup
    if settings.schedule == "constant":
        return settings.lr
    return settings.lr * (settings.steps + 1 - step) / max(1, settings.steps + 1 - settings.warmup)


KEPT = {  # in a checkpoint, of a trainer
    "step": "_done", "tokens": "tokens", "seconds": "seconds", "curve": "_curve", "loss": "loss",
    "optimiser": "_optimiser",
}  # fmt: skip


class Trainer:
    """Trains a `Loss` on `Streams` for `settings.steps` updates, going on from a checkpoint if there is one."""

    def __init__(
        self,
        loss: Loss,
        streams: Streams,
        settings: Settings,
        processes: Processes,
        checkpoints: Checkpoints,
        copies: int = 0,
    ):
        self._copies = copies  # the last pieces, which learn at `copies_rate`
        self.loss, self.streams, self.settings = loss.to(processes.device), streams, settings
        self.processes, self.checkpoints = processes, checkpoints
        betas = (settings.adam_beta1, settings.adam_beta2)
        learnt = [weight for weight in self.loss.parameters() if weight.requires_grad]
        self._optimiser = AdamW(learnt, settings.weight_decay, betas, settings.adam_epsilon)
        self._curve = Curve(loss.terms, settings.log_every)
        self._done = self.tokens = 0
        self.seconds = 0.0
        self._open: list[tuple[int, Tensor]] = []  # losses that a GPU may still be computing
        checkpoints.restore(self, KEPT)
        on_gpu, resident = processes.device.type == "cuda", isinstance(streams, ResidentStreams)
        self._half = HalfModule(self.loss) if in_half(settings.precision, processes.device) else None
        computing = self._half.module if self._half else self.loss
        if settings.compile:
            for layer in computing.model.layers:
                layer.compile(dynamic=None if resident else True)  # for few shapes, or for many
        self._wrapped = processes.wrap(computing, partly_used=not loss.predicts)
        graphs = on_gpu and resident and processes.size == 1 and loss.recorded
        self._graphs = Graphs(self._change, processes.device) if graphs else None

    @property
    def curve(self) -> dict[str, list[float]]:
        """The loss curve: lists of `step`, `loss` and its terms."""
        return self._curve.points

    def train(self) -> None:
        """Train to the end. Raises CrosslinguaError if the loss or, where they are saved, the weights go astray."""
        self._wrapped.train()
        reporter = Reporter(self.settings.steps, self._done, self.processes.first)
        with closing(reporter):
            steps = self.streams.steps(self._done)
            if self.processes.device.type == "cuda":
                steps = prefetched(steps)
            for step, batches in zip(range(self._done + 1, self.settings.steps + 1), steps, strict=False):
                self._update(step, batches, reporter)

    def _update(self, step: int, batches: Mapping[str, Sequence[Batch]], reporter: Reporter) -> None:
        """Compute a step's gradient, check its loss, and change the weights."""
        start = time.perf_counter()
        number = self.streams.seed * self.settings.steps + step
        torch.manual_seed(number * self.processes.size + self.processes.rank)
        change = self._graphs or self._change
        self._open.append((step, change(batches, learning_rate(step, self.settings))))
        losses = self._losses(step)
        self.tokens += sum(part.tokens for parts in batches.values() for part in parts)
        self.seconds += time.perf_counter() - start
        self._report(step, losses, reporter)

    def _change(self, batches: Mapping[str, Sequence[Batch]], rate: float | Tensor) -> Tensor:
        """Change the weights; return the terms of the loss before."""
        values = self._gradient(batches)
        if self.settings.clip_norm:
            nn.utils.clip_grad_norm_(self.loss.parameters(), self.settings.clip_norm)
        with self._copies_rate():
            self._optimiser.step(rate)
        self._optimiser.zero_grad()
        if self._half:
            self._half.renew()
        return values

    @contextmanager
    def _copies_rate(self) -> Iterator[None]:
        """Multiply a change of the vectors of copied pieces by `copies_rate`: AdamW's steps know no gradient's size."""
        if not self._copies:
            yield
            return
        rows = self.loss.model.words.weight.detach()[-self._copies :]
        before = rows.clone()
        yield
        rows.lerp_(before, 1 - self.settings.copies_rate)

    def _losses(self, step: int) -> list[tuple[int, list[float]]]:
        """Return the steps whose losses are read now, each checked: on a GPU many at once, so that it need not wait."""
        settings, names = self.settings, self.loss.terms
        every = (settings.log_every, settings.checkpoint_every, settings.steps)
        if self.processes.device.type == "cuda" and all(step % number for number in every):
            return []
        read = [(at, values.tolist()) for at, values in self._open]
        self._open = []
        for at, values in read:
            check(at, names, values, self.loss.model.shape.vocabulary)
        return read

    def _gradient(self, batches: Mapping[str, Sequence[Batch]]) -> Tensor:
        """Add up the gradients of this process's parts; return the terms of the whole step's loss."""
        device, rank, size = self.processes.device, self.processes.rank, self.processes.size
        total = torch.zeros(len(self.loss.terms), device=device)
        parts = self.settings.accumulate
        for index in range(parts):
            mine = {name: b[rank + index * size] for name, b in batches.items()}
            with ExitStack() as stack:
                if size > 1 and index < parts - 1:
                    stack.enter_context(self._wrapped.no_sync())
                terms = self._wrapped({name: part.tensors(device) for name, part in mine.items()})
                (terms.sum() * size).backward()  # processes average, parts add up
            total += terms.detach()
            if self._half and (size == 1 or index == parts - 1):  # processes add up parts in the copy
                self._half.hand_over()
        return self.processes.summed(total)

    def _report(self, step: int, losses: list[tuple[int, list[float]]], reporter: Reporter) -> None:
        self._done = step
        last = step == self.settings.steps
        points = [self._curve.add(at, values, at == self.settings.steps) for at, values in losses]
        if any(points):
            rates = {"tokens_per_second": self.tokens_per_second, "lr": learning_rate(step, self.settings)}
            reporter.point(self._curve, rates)
        reporter.step()
        if last or step % self.settings.checkpoint_every == 0:
            check_weights(step, self.loss)  # by every process, so that all of them end
            if self.processes.first and not last:
                self.checkpoints.keep(self, KEPT)

    @property
    def tokens_per_second(self) -> float:
        """Tokens read a second by all processes."""
        return self.tokens / max(self.seconds, 1e-9)
