"""Fine-tuning alignment (mbert_align, section 3): the encoder itself moves one language's vectors to the other's."""

from __future__ import annotations

import copy
import hashlib
import json
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from crosslingua.checkpoint import Checkpoints
from crosslingua.embedders.word_states import EncodedWords
from crosslingua.encoder_alignment.finetune_loss import TERMS, AlignmentLoss, batch_numbers
from crosslingua.encoder_alignment.finetune_settings import FineTuneSettings
from crosslingua.encoder_alignment.folder import ALIGNED, write_aligned
from crosslingua.encoder_alignment.signal import Signal
from crosslingua.encoders.progress import Curve, Reporter, check_weights
from crosslingua.errors import ConfigError, CrosslinguaError
from crosslingua.io.output_folder import check_output_folder
from crosslingua.optimiser import AdamW

REMEDY = "lower lr or lengthen warmup"
LOG_EVERY = 50  # updates of a point of the loss curve


@dataclass(frozen=True)
class FineTune:
    """FineTuneAlign, in one of two directions. It learns from linked words of parallel text only."""

    settings: FineTuneSettings = field(default_factory=FineTuneSettings)
    seed: int = 1

    def align(self, signal: Signal, out: str | Path) -> None:
        """Write the tuned encoder to the folder `out`.

        Killed, it goes on from `OUT.checkpoint/` when called again, to the same weights to the bit (on a CPU). Raises
        ConfigError without links, CrosslinguaError if the loss or the weights go astray.
        """
        if signal.text.links is None:
            raise ConfigError("finetune learns from parallel text with links: give links")
        check_output_folder(out, ALIGNED)
        tuning = TuningRun(signal, self.settings, self.seed, Checkpoints(out, self._fingerprint(signal)))
        tuning.run()
        report = {
            "method": "finetune",
            "supervision": "parallel",
            "seed": self.seed,
            "settings": asdict(self.settings),
            "updates": len(tuning.plan),
            "loss_curve": tuning.curve.points,
        }
        write_aligned(signal, out, report, tuned=tuning.loss.encoder)
        tuning.checkpoints.remove()

    def _fingerprint(self, signal: Signal) -> str:
        """Return what the result depends on, in short."""
        what: list[Any] = [asdict(self.settings) | {"checkpoint_every": 0}, self.seed, signal.layers]
        what += [signal.languages, str(signal.folder), torch.__version__]
        digest = hashlib.sha256(json.dumps(what).encode())
        for parameter in signal.encoder.parameters():
            digest.update(parameter.detach().numpy().tobytes())
        for part in zip(signal.text.source, signal.text.target, signal.text.links or [], strict=True):
            digest.update(repr((*part[:2], part[2].tolist())).encode())
        return digest.hexdigest()


class TuningRun:
    """One run: the loss, the optimiser, the plan of its updates, and how far it is."""

    def __init__(self, signal: Signal, settings: FineTuneSettings, seed: int, checkpoints: Checkpoints):
        self.settings, self.checkpoints = settings, checkpoints
        self._links: Sequence[np.ndarray] = signal.text.links or []
        encoder = copy.deepcopy(signal.encoder).eval()  # no dropout: noise is no reason to move
        kept = 1 if settings.direction == "src_to_tgt" else 0
        squared = settings.distance == "squared"
        self.loss = AlignmentLoss(encoder, signal.encoder, signal.layers, signal.language_ids, kept, squared)
        self._sides: list[EncodedWords] = [
            self.loss.states.encode(s) for s in (signal.text.source, signal.text.target)
        ]
        self.plan = batch_numbers(len(signal.text), settings.batch_size, settings.epochs, seed)
        betas = settings.adam_beta1, settings.adam_beta2
        self._optimiser = AdamW(encoder.parameters(), 0.0, betas, settings.adam_epsilon)
        self.curve = Curve(list(TERMS), LOG_EVERY)
        self._done = 0
        self._restore()

    def run(self) -> None:
        """Do the updates that are left."""
        reporter = Reporter(len(self.plan), self._done, None, True)
        try:
            for step, pairs in enumerate(self.plan[self._done :], self._done + 1):
                self._update(step, pairs)
                reporter.step()
        finally:
            reporter.close()
        check_weights(len(self.plan), self.loss.encoder, REMEDY)

    def _update(self, step: int, pairs: np.ndarray) -> None:
        terms = self.loss(self._sides, self._links, pairs)
        values = terms.detach().tolist()
        if not all(map(math.isfinite, values)):
            raise CrosslinguaError(f"update {step}: the loss is {sum(values)}; {REMEDY}")
        (terms[0] + self.settings.regularisation * terms[1]).backward()
        if self.settings.clip_norm:
            nn.utils.clip_grad_norm_(self.loss.encoder.parameters(), self.settings.clip_norm)
        self._optimiser.step(learning_rate(step, len(self.plan), self.settings))
        self._optimiser.zero_grad()
        self._done = step
        self.curve.add(step, values, step == len(self.plan))
        if step % self.settings.checkpoint_every == 0 and step < len(self.plan):
            self._save()

    def _save(self) -> None:
        check_weights(self._done, self.loss.encoder, REMEDY)
        self.checkpoints.save(
            {
                "step": self._done,
                "curve": self.curve.state(),
                "encoder": self.loss.encoder.state_dict(),
                "optimiser": self._optimiser.state_dict(),
            }
        )

    def _restore(self) -> None:
        state = self.checkpoints.load()
        if state is None:
            return
        self._done = state["step"]
        self.curve = Curve(list(TERMS), LOG_EVERY, state["curve"])
        self.loss.encoder.load_state_dict(state["encoder"])
        self._optimiser.load_state_dict(state["optimiser"])


def learning_rate(step: int, steps: int, settings: FineTuneSettings) -> float:
    """Return the rate of update `step`, from 1: a linear rise over the warm-up, then constant."""
    rising = round(settings.warmup * steps)
    return settings.lr * min(1.0, step / max(1, rising))
