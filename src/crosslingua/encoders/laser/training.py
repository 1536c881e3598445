"""The training loop of LASER."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from typing import Any

import torch
from torch.nn.utils import clip_grad_norm_

from crosslingua.checkpoint import Checkpoints
from crosslingua.encoders.laser.batches import Steps, TranslationBatch
from crosslingua.encoders.laser.translator import Translator
from crosslingua.encoders.progress import Curve, Reporter, check_weights
from crosslingua.errors import CrosslinguaError
from crosslingua.optimiser import AdamW

ADAM_BETAS, ADAM_EPSILON = (0.9, 0.999), 1e-8  # Kingma and Ba 2015


class LaserTrainer:
    """Trains a translator by Adam on all of `steps`, going on from a checkpoint if there is one.

    On the CPU an interrupted and resumed run ends in the same bytes as one in a piece.
    """

    def __init__(self, translator: Translator, steps: Steps, checkpoints: Checkpoints):
        self.settings, self.steps, self.checkpoints = steps.settings, steps, checkpoints
        self.translator = translator.to(self.settings.device).train()
        self._optimiser = AdamW(translator.parameters(), 0.0, ADAM_BETAS, ADAM_EPSILON)  # no decay: Adam
        self._curve = Curve(["translation"], self.settings.log_every)
        self.done = self.subwords = 0
        self.seconds = 0.0
        self._restore()

    @property
    def curve(self) -> dict[str, list[float]]:
        """The loss curve, in nats a target subword: lists of `step` and `loss`."""
        return {name: self._curve.points[name] for name in ("step", "loss")}

    @property
    def rate(self) -> float:
        """Target subwords a second."""
        return self.subwords / max(self.seconds, 1e-9)

    def train(self) -> None:
        """Train to the end. Raises CrosslinguaError, with the step, if the loss or a saved weight is no number."""
        number = self.steps.number
        reporter = Reporter(number, self.done, None, True)
        try:
            for batches in self.steps.since(self.done):
                start = time.perf_counter()
                loss = self.step(batches)
                self.seconds += time.perf_counter() - start
                if self._curve.add(self.done, [loss], self.done == number):
                    reporter.point(self._curve, {"tokens_per_second": self.rate})
                reporter.step()
                if self.done == number or self.done % self.settings.checkpoint_every == 0:
                    check_weights(self.done, self.translator, f"set a smaller lr than {self.settings.lr:g}")
                    if self.done < number:
                        self.checkpoints.save(self._state())
        finally:
            reporter.close()

    def step(self, batches: Sequence[TranslationBatch]) -> float:
        """Make one update on all batches; return the loss, in nats a target subword."""
        # Of dropout, so that any step can be redone; a CPU's generator sees the low 32 bits only.
        torch.manual_seed(self.steps.seed * 0x9E3779B1 + self.done)
        subwords = sum(len(batch.following) for batch in batches)
        loss = 0.0
        for batch in batches:
            part = self.translator(batch.to(self.settings.device)) / subwords
            part.backward()
            loss += part.item()
        self.done += 1
        norm = clip_grad_norm_(self.translator.parameters(), self.settings.clip_norm).item()
        if not (math.isfinite(loss) and math.isfinite(norm)):
            raise CrosslinguaError(
                f"step {self.done}: the loss is {loss:g} and the norm of its gradient {norm:g}; "
                f"set a smaller lr than {self.settings.lr:g}"
            )
        self._optimiser.step(self.settings.lr)
        self._optimiser.zero_grad()
        self.subwords += subwords
        return loss

    def _state(self) -> dict[str, Any]:
        return {
            "step": self.done,
            "subwords": self.subwords,
            "seconds": self.seconds,
            "curve": self._curve.state(),
            "translator": self.translator.state_dict(),
            "optimiser": self._optimiser.state_dict(),
        }

    def _restore(self) -> None:
        state = self.checkpoints.load()
        if state is None:
            return
        self.done, self.subwords, self.seconds = state["step"], state["subwords"], state["seconds"]
        self._curve = Curve(["translation"], self.settings.log_every, state["curve"])
        self.translator.load_state_dict(state["translator"])
        self._optimiser.load_state_dict(state["optimiser"])
