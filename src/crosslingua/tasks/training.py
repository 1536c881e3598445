"""The loop that fine-tunes a model and keeps the best weights on validation data."""

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import product
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from tqdm import tqdm

from crosslingua.embedders.encoder import Encoder
from crosslingua.errors import ConfigError, CrosslinguaError
from crosslingua.nn.checkpoint import Checkpoints
from crosslingua.nn.half import Half, Rows, in_half
from crosslingua.nn.optimiser import AdamW
from crosslingua.settings import (
    definitions,
    parse_settings,
    read_value,
)
from crosslingua.tasks.batches import training_batches
from crosslingua.tasks.kinds import Kind, kind_of
from crosslingua.tasks.settings import FineTuning


def override(published: FineTuning, task: str, options: Iterable[str]) -> FineTuning:
    """Return `published` with `name=value` of all tasks, overridden by `task.name=value`. Raises ConfigError."""
    found = grid(published, task, options)
    if len(found) > 1:
        raise ConfigError(
            f"{len(found)} settings of {task} are given, by values with commas:"
            " crosslingua select-settings chooses one of them"
        )
    return found[0]


def grid(published: FineTuning, task: str, options: Iterable[str]) -> list[FineTuning]:
    """Return `published` with every combination of `name=value,value` options, the last varying fastest."""
    given = parse_settings(options)
    values: dict[str, list] = {}
    for key in sorted(given, key=lambda key: "." in key):
        owner, dot, name = key.rpartition(".")
        if dot:
            kind_of(owner)
        tried = [read_value(FineTuning, "fine-tuning", name, one) for one in given[key].split(",")]
        if not dot or owner == task:
            values[name] = tried
    return [
        replace(published, **dict(zip(values, point, strict=True))) for point in product(*values.values())
    ]


def varied(points: Sequence[FineTuning]) -> dict[str, list]:
    """Return the settings that differ in a grid, with their values in order."""
    values = {
        name: list(dict.fromkeys(getattr(point, name) for point in points))
        for name in definitions(FineTuning)
    }
    return {name: those for name, those in values.items() if len(those) > 1}


@dataclass(frozen=True)
class Task:
    """A kind of task for fine-tuning; `tuner` lists the other members of a task."""

    kind: Kind

    @property
    def published(self) -> FineTuning:
        """The published settings."""
        return FineTuning(epochs=self.kind.epochs)


BETAS = (0.9, 0.999)  # of AdamW, as in BERT and XTREME's code
CHECKPOINT_SECONDS = 60.0  # between checkpoints; what is shorter has none: to begin again costs less


def fine_tune(
    model: nn.Module,
    data: Any,
    validate: Callable[[], float],
    settings: FineTuning,
    seed: int,
    checkpoints: Checkpoints | None = None,
) -> dict[str, Any]:
    """Train `model` (see `tuner`) on prepared `data`; return a report by epoch.

    The model ends with the weights of the first epoch with the highest score of `validate`. Equal seeds give equal
    results, on CPUs to the bit after resumption from `checkpoints`. CrosslinguaError if the loss is not finite.
    """
    run = _Run(model, data, settings, seed, checkpoints)
    with tqdm(total=run.steps, initial=run.at.step, unit="step", disable=None, leave=False) as bar:
        while not run.is_over:
            is_last = run.update()
            bar.update()
            if is_last:
                run.end_epoch(validate())
                bar.set_postfix(run.at.epochs[-1])
            run.keep()
    return run.finish()


@dataclass
class _Place:
    """The progress of a run: updates, updates of the open epoch and the sum of their losses, and time."""

    step: int = 0
    open_steps: int = 0
    open_loss: float = 0.0
    epochs: list[dict[str, float]] = field(default_factory=list)
    seconds: float = 0.0
    cpu_seconds: float = 0.0


class _Run:
    """A fine-tuning in progress. All randomness comes from the seed and torch's generators, whose states are saved."""

    def __init__(
        self, model: Any, data: Any, settings: FineTuning, seed: int, checkpoints: Checkpoints | None
    ):
        self.model, self.data, self.settings, self.checkpoints = model, data, settings, checkpoints
        torch.manual_seed(seed)
        rng = np.random.default_rng(seed)
        groups = getattr(data, "groups", None)  # of pairs, where they are asked for
        self.plan = [
            training_batches(data.lengths, settings.batch_size, rng, groups) for _ in range(settings.epochs)
        ]
        self.steps = sum(map(len, self.plan))
        self.learnt = {name: w for name, w in model.named_parameters() if w.requires_grad}
        device = next(model.parameters()).device
        self._rounded = self._round() if in_half(settings.precision, device) else []
        self._on_gpu = device.type == "cuda"
        self.optimiser = AdamW(self.learnt.values(), settings.weight_decay, BETAS, settings.adam_epsilon)
        self.best: dict[str, Tensor] = {}
        self.at = _Place()
        self._restore()
        self._clock, self._cpu = time.perf_counter(), time.process_time()
        self._kept = self._clock

    def _round(self) -> list[Half | Rows]:
        """Round the layers of encoders; keep their weights, and rows of embeddings, in `learnt` for the optimiser."""
        computing = dict(self.learnt)
        single = {name: weight.detach() for name, weight in self.learnt.items()}
        halve(self.model)
        halved = [name for name, weight in computing.items() if weight.dtype != single[name].dtype]
        self.learnt |= {name: nn.Parameter(single[name]) for name in halved}
        parts: list[Half | Rows] = []
        if halved:  # nothing of models that write text
            parts.append(Half([self.learnt[n] for n in halved], [computing[n] for n in halved]))
        for encoder in _encoders(self.model):
            table = encoder.model.get_input_embeddings()
            name = next((name for name, weight in self.learnt.items() if weight is table.weight), None)
            if name and not self.settings.weight_decay:
                rows = Rows(table, np.append(self.data.ids.values, encoder.tokenizer.pad_token_id))
                self.learnt[name] = rows.own
                parts.append(rows)
        return parts

    def _renew(self) -> None:
        for part in self._rounded:
            part.renew()

    @property
    def is_over(self) -> bool:
        """Whether all epochs are over."""
        return len(self.at.epochs) == len(self.plan)

    def update(self) -> bool:
        """Train on the next batch; return whether it was the last of the open epoch."""
        at, settings, batches = self.at, self.settings, self.plan[len(self.at.epochs)]
        self.model.train()
        loss = self.model.loss(self.data, batches[at.open_steps])
        value = loss.item()
        if not np.isfinite(value):
            raise CrosslinguaError(f"the loss is {value} at step {at.step + 1}: lower lr or clip_norm")
        self.optimiser.zero_grad()
        loss.backward()
        for part in self._rounded:
            part.hand_over()
        nn.utils.clip_grad_norm_(self.learnt.values(), settings.clip_norm)
        factor = rate(at.step, self.steps, settings.warmup, settings.decay)
        self.optimiser.step(settings.lr * factor)
        self._renew()
        at.step, at.open_steps, at.open_loss = at.step + 1, at.open_steps + 1, at.open_loss + value
        return at.open_steps == len(batches)

    def end_epoch(self, score: float) -> None:
        """Keep the weights if their validation score is the best yet."""
        at = self.at
        if score > max((epoch["validation"] for epoch in at.epochs), default=-1):
            self.best = {name: weights.detach().clone() for name, weights in self.learnt.items()}
        loss = at.open_loss / at.open_steps
        at.epochs.append({"epoch": len(at.epochs) + 1, "loss": round(loss, 5), "validation": round(score, 4)})
        at.open_steps, at.open_loss = 0, 0.0

    def keep(self) -> None:
        """Write a checkpoint at intervals, and at the end of a long training."""
        now = time.perf_counter()
        long = self.is_over and self._elapsed()[0] >= CHECKPOINT_SECONDS
        if self.checkpoints and (long or now - self._kept >= CHECKPOINT_SECONDS):
            seconds, cpu_seconds = self._elapsed()
            self.checkpoints.save(
                {
                    "at": asdict(self.at) | {"seconds": seconds, "cpu_seconds": cpu_seconds},
                    "weights": {name: weights.detach() for name, weights in self.learnt.items()},
                    "best": self.best,
                    "optimiser": self.optimiser.state_dict(),
                    "random": torch.get_rng_state(),
                    "random_on_gpu": torch.cuda.get_rng_state() if self._on_gpu else None,
                }
            )
            self._kept = now

    def finish(self) -> dict[str, Any]:
        """Load the best epoch's weights; return the report of training."""
        with torch.no_grad():
            for name, weights in self.best.items():
                self.learnt[name].copy_(weights)
        self._renew()
        self.model.eval()
        epochs, (seconds, cpu_seconds) = self.at.epochs, self._elapsed()
        return {
            "epochs": epochs,
            "selected": max(epochs, key=lambda epoch: epoch["validation"])["epoch"],
            "steps": self.steps,
            "pieces": int(self.data.lengths.sum()) * self.settings.epochs,
            "seconds": round(seconds, 2),
            "cpu_seconds": round(cpu_seconds, 2),
        }

    def _elapsed(self) -> tuple[float, float]:
        seconds, cpu_seconds = time.perf_counter() - self._clock, time.process_time() - self._cpu
        return self.at.seconds + seconds, self.at.cpu_seconds + cpu_seconds

    def _restore(self) -> None:
        state = self.checkpoints.load() if self.checkpoints else None
        if state is None:
            return
        self.at, self.best = _Place(**state["at"]), state["best"]
        self.optimiser.load_state_dict(state["optimiser"])
        with torch.no_grad():
            for name, weights in self.learnt.items():
                weights.copy_(state["weights"][name])
        self._renew()
        torch.set_rng_state(state["random"])
        if self._on_gpu:
            torch.cuda.set_rng_state(state["random_on_gpu"])


def halve(model: nn.Module) -> None:
    """Let the encoders in a model compute in bfloat16, from rounded weights."""
    for encoder in _encoders(model):
        encoder.halve()


def _encoders(model: nn.Module) -> list[Encoder]:
    return [part for part in model.modules() if isinstance(part, Encoder)]


def rate(step: int, steps: int, warmup: float, decay: bool = True) -> float:
    """Return the factor of the learning rate at `step` (from 0): linear warm-up to 1, then linear decay to 0, or 1."""
    rising = round(warmup * steps)
    if step < rising:
        return step / rising
    if not decay:
        return 1.0
    return max(0.0, (steps - step) / max(1, steps - rising))
