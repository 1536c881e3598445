"""What a run tells while it trains: a progress bar, a loss curve, TensorBoard logs, and errors when it goes astray."""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import Any

import torch
from torch import nn
from tqdm import tqdm

from crosslingua.errors import CrosslinguaError
from crosslingua.extras import optional

EXPLODED = 4.0  # times the loss of guessing uniformly
REMEDY = "lower lr, lengthen warmup, set clip_norm=1 or, with bf16, precision=fp32"


class Curve:
    """Means of the loss's terms over every `every` steps, as lists by name: `step`, `loss`, and one a term."""

    def __init__(self, terms: list[str], every: int, state: dict[str, Any] | None = None):
        self.terms, self._every = terms, every
        self.points: dict[str, list[float]] = {name: [] for name in ("step", "loss", *terms)}
        self._open: list[list[float]] = []
        if state:
            self.points, self._open = state["points"], state["open"]

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

    def state(self) -> dict[str, Any]:
        """Return what `Curve` can go on from."""
        return {"points": self.points, "open": self._open}


def check(step: int, names: list[str], values: list[float], vocabulary: int) -> None:
    """Raise CrosslinguaError if a term of a step's loss is no number or far above that of guessing."""
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
    """Shows progress on standard error, and writes TensorBoard logs if there is a folder for them."""

    def __init__(self, steps: int, done: int, log_dir: str | Path | None, shown: bool):
        interval = 0.2 if sys.stderr.isatty() else 15.0
        self._bar = tqdm(
            total=steps,
            initial=done,
            unit="step",
            mininterval=interval,
            disable=not shown,
            dynamic_ncols=True,
        )
        self._writer = None
        if log_dir is not None and shown:
            writer = optional("torch.utils.tensorboard", "tensorboard", "--log-dir").SummaryWriter
            self._writer = writer(str(log_dir), purge_step=done + 1)

    def step(self) -> None:
        """Count a step."""
        self._bar.update()

    def point(self, curve: Curve, rates: dict[str, float]) -> None:
        """Show the newest point of the curve with `rates`, such as tokens a second."""
        newest = {name: column[-1] for name, column in curve.points.items()}
        step = int(newest.pop("step"))
        self._bar.set_postfix(
            {"loss": f"{newest['loss']:.3f}", "tokens/s": f"{rates['tokens_per_second']:,.0f}"}, refresh=False
        )
        if self._writer is not None:
            for name, value in (newest | rates).items():
                self._writer.add_scalar(name, value, step)

    def close(self) -> None:
        """Finish the bar and the logs."""
        self._bar.close()
        if self._writer is not None:
            self._writer.close()
