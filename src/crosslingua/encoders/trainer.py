"""The loop: one small trainer for all objectives (xlm_align, algorithm 1; align_mlm, section 3)."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from crosslingua.checkpoint import Checkpoints
from crosslingua.encoders.batches import Batch
from crosslingua.encoders.model import MaskedLanguageModel
from crosslingua.encoders.objectives.objective import Encoded, Objective
from crosslingua.encoders.prefetch import prefetched
from crosslingua.encoders.processes import Processes
from crosslingua.encoders.progress import Curve, Reporter, check, check_weights
from crosslingua.encoders.settings import Settings
from crosslingua.encoders.streams import Streams
from crosslingua.optimiser import AdamW


class Loss(nn.Module):
    """The model and its objectives: from a step's batches to the terms of the loss."""

    def __init__(self, model: MaskedLanguageModel, objectives: Mapping[str, Mapping[str, Objective]]):
        super().__init__()
        self.model = model
        self.streams = nn.ModuleDict({name: nn.ModuleDict(members) for name, members in objectives.items()})
        self.terms = [term for members in objectives.values() for term in members]
        self.predicts = any(member.predicts for members in objectives.values() for member in members.values())

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


class Trainer:
    """Trains a `Loss` on `Streams` for `settings.steps` updates, going on from a checkpoint if there is one."""

    def __init__(
        self,
        loss: Loss,
        streams: Streams,
        settings: Settings,
        processes: Processes,
        checkpoints: Checkpoints,
        log_dir: str | Path | None = None,
    ):
        self.loss, self.streams, self.settings = loss.to(processes.device), streams, settings
        self.processes, self.checkpoints, self._log_dir = processes, checkpoints, log_dir
        betas = (settings.adam_beta1, settings.adam_beta2)
        self._optimiser = AdamW(self.loss.parameters(), settings.weight_decay, betas, settings.adam_epsilon)
        self._curve = Curve(loss.terms, settings.log_every)
        self._done = self.tokens = 0
        self.seconds = 0.0
        if settings.compile:
            for layer in loss.model.layers:
                layer.compile(dynamic=True)
        self._restore()
        self._wrapped = processes.wrap(self.loss, partly_used=not loss.predicts)

    @property
    def curve(self) -> dict[str, list[float]]:
        """The loss curve: lists of `step`, `loss` and its terms."""
        return self._curve.points

    def train(self) -> None:
        """Train to the end. Raises CrosslinguaError if the loss or, where they are saved, the weights go astray."""
        self.loss.train()
        reporter = Reporter(self.settings.steps, self._done, self._log_dir, self.processes.first)
        try:
            for step, batches in enumerate(self._batches(), self._done + 1):
                self._update(step, batches, reporter)
                if step == self.settings.steps:
                    break
        finally:
            reporter.close()

    def _batches(self) -> Iterator[dict[str, list[Batch]]]:
        """Yield the parts of each step that is left."""
        if self._done == self.settings.steps:
            return
        steps = self.streams.steps(self._done)
        if self.processes.device.type == "cuda":
            steps = prefetched(steps)
        yield from steps

    def _update(self, step: int, batches: Mapping[str, Sequence[Batch]], reporter: Reporter) -> None:
        """Compute a step's gradient, check its loss, and change the weights."""
        start = time.perf_counter()
        torch.manual_seed(
            (self.streams.seed * self.settings.steps + step) * self.processes.size + self.processes.rank
        )
        values = self._gradient(batches)
        check(step, self.loss.terms, values, self.loss.model.shape.vocabulary)
        if self.settings.clip_norm:
            nn.utils.clip_grad_norm_(self.loss.parameters(), self.settings.clip_norm)
        self._optimiser.step(learning_rate(step, self.settings))
        self._optimiser.zero_grad()
        self._count(batches)
        self.seconds += time.perf_counter() - start
        self._report(step, values, reporter)

    def _gradient(self, batches: Mapping[str, Sequence[Batch]]) -> list[float]:
        """Add up the gradients of this process's parts; return the terms of the whole step's loss."""
        device, rank, size = self.processes.device, self.processes.rank, self.processes.size
        total = torch.zeros(len(self.loss.terms), device=device)
        parts = self.settings.accumulate
        for index in range(parts):
            mine = {name: b[rank + index * size] for name, b in batches.items()}
            with ExitStack() as stack:
                if size > 1 and index < parts - 1:
                    stack.enter_context(self._wrapped.no_sync())
                bf16 = self.settings.precision == "bf16"
                with torch.autocast(device.type, torch.bfloat16, enabled=bf16):
                    terms = self._wrapped({name: part.tensors(device) for name, part in mine.items()})
                (terms.sum() * size).backward()  # processes average, parts add up
            total += terms.detach()
        return self.processes.summed(total).tolist()

    def _count(self, batches: Mapping[str, Sequence[Batch]]) -> None:
        self.tokens += sum(int(part.present.sum()) for parts in batches.values() for part in parts)

    def _report(self, step: int, values: list[float], reporter: Reporter) -> None:
        self._done = step
        last = step == self.settings.steps
        if self._curve.add(step, values, last):
            rates = {"tokens_per_second": self.tokens_per_second, "lr": learning_rate(step, self.settings)}
            reporter.point(self._curve, rates)
        reporter.step()
        if last or step % self.settings.checkpoint_every == 0:
            check_weights(step, self.loss)  # by every process, so that all of them end
            if self.processes.first and not last:
                self.checkpoints.save(self._state())

    @property
    def tokens_per_second(self) -> float:
        """Tokens read a second by all processes."""
        return self.tokens / max(self.seconds, 1e-9)

    def _state(self) -> dict[str, Any]:
        return {
            "step": self._done,
            "tokens": self.tokens,
            "seconds": self.seconds,
            "curve": self._curve.state(),
            "loss": self.loss.state_dict(),
            "optimiser": self._optimiser.state_dict(),
        }

    def _restore(self) -> None:
        state = self.checkpoints.load()
        if state is None:
            return
        self._done, self.tokens, self.seconds = state["step"], state["tokens"], state["seconds"]
        self._curve = Curve(self.loss.terms, self.settings.log_every, state["curve"])
        self.loss.load_state_dict(state["loss"])
        self._optimiser.load_state_dict(state["optimiser"])
