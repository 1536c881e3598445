"""The training loop of LASER, and the state from which an interrupted run goes on."""

from __future__ import annotations

import hashlib
import json
import logging
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import torch
from torch.nn.utils import clip_grad_norm_
from tqdm import tqdm

from crosslingua.encoders.laser.bitext import Direction, TranslationBatch, epoch_steps, steps, to_device
from crosslingua.encoders.laser.settings import LaserSettings
from crosslingua.encoders.laser.translator import Translator, new_translator
from crosslingua.encoders.pieces import Pieces
from crosslingua.errors import CrosslinguaError
from crosslingua.io.atomic import atomic_path

log = logging.getLogger(__name__)


@dataclass
class Progress:
    """Where a run stands; `curve` holds (step, nats a target subword since the point before)."""

    step: int = 0
    subwords: int = 0
    curve: list[tuple[int, float]] = field(default_factory=list)
    loss_sum: float = 0.0
    loss_subwords: int = 0

    def add(self, loss: float, subwords: int, log_every: int) -> None:
        """Count a step whose `subwords` target subwords have cost `loss` nats in all."""
        self.step += 1
        self.subwords += subwords
        self.loss_sum += loss
        self.loss_subwords += subwords
        if self.step % log_every == 0:
            self.curve.append((self.step, self.loss_sum / self.loss_subwords))
            self.loss_sum, self.loss_subwords = 0.0, 0


class Trainer:
    """Trains a translator, and saves and restores all that the next step depends on."""

    def __init__(self, translator: Translator, settings: LaserSettings, run: str):
        self.translator = translator.to(settings.device).train()
        self.settings = settings
        self.run = run  # names the run, so that no other run's state is taken for this one's
        self.optimizer = torch.optim.Adam(self.translator.parameters(), lr=settings.lr)
        self.progress = Progress()

    def step(self, batches: Sequence[TranslationBatch]) -> float:
        """Make one update on all batches; return nats a target subword. Raises CrosslinguaError unless finite."""
        subwords = sum(len(batch.following) for batch in batches)
        self.optimizer.zero_grad(set_to_none=True)
        total = 0.0
        for batch in batches:
            loss = self.translator(to_device(batch, self.settings.device))
            (loss / subwords).backward()
            total += loss.item()
        norm = clip_grad_norm_(self.translator.parameters(), self.settings.clip_norm)
        if not (math.isfinite(total) and math.isfinite(norm)):
            raise CrosslinguaError(
                f"step {self.progress.step + 1}: the loss is {total / subwords:g} and the norm of its gradient "
                f"{norm:g}; try a smaller lr than {self.settings.lr:g}"
            )
        self.optimizer.step()
        self.progress.add(total, subwords, self.settings.log_every)
        return total / subwords

    def save(self, path: str | Path) -> None:
        """Write the state of the run; the file appears whole or not at all."""
        state = {
            "run": self.run,
            "translator": self.translator.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "progress": asdict(self.progress),
            "random": torch.get_rng_state(),
        }
        with atomic_path(path) as temporary:
            torch.save(state, temporary)

    def restore(self, path: str | Path) -> None:
        """Go on from a state that `save` wrote; another run's is left alone, with a warning."""
        state: dict[str, Any] = torch.load(path, map_location=self.settings.device, weights_only=True)
        if state["run"] != self.run:
            log.warning("%s is of a run with other data or settings: starting from the beginning", path)
            return
        self.translator.load_state_dict(state["translator"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.progress = Progress(**state["progress"])
        torch.set_rng_state(state["random"].cpu())
        log.info("going on after step %d", self.progress.step)


def train(
    directions: Sequence[Direction],
    languages: int,
    pieces: Pieces,
    settings: LaserSettings,
    seed: int,
    checkpoint: str | Path,
) -> tuple[Translator, Progress]:
    """Train a translator into `languages` pivots; go on from `checkpoint` if an earlier run left one.

    On the CPU, an interrupted and resumed run ends in the same bytes as one in a piece.
    """
    translator = new_translator(settings, pieces.size, pieces.specials.pad, languages, seed)
    trainer = Trainer(translator, settings, fingerprint(directions, settings, seed, pieces))
    if Path(checkpoint).is_file():
        trainer.restore(checkpoint)
    total = settings.epochs * len(epoch_steps(directions, settings, seed, 0))
    start = trainer.progress.step
    with tqdm(total=total, initial=start, unit="step", desc="LASER") as bar:
        for batches in steps(directions, settings, seed, pieces, start):
            bar.set_postfix(loss=f"{trainer.step(batches):.3f}", refresh=False)
            bar.update()
            if trainer.progress.step % settings.checkpoint_every == 0:
                trainer.save(checkpoint)
    return trainer.translator.eval(), trainer.progress


def fingerprint(directions: Sequence[Direction], settings: LaserSettings, seed: int, pieces: Pieces) -> str:
    """Return a name for a run: equal only for equal data, subwords, settings and seed."""
    digest = hashlib.sha256(json.dumps([asdict(settings), seed, pieces.size, pieces.specials]).encode())
    for direction in directions:
        digest.update(f"{direction.source}-{direction.pivot}".encode())
        for side in (direction.sources, direction.targets):
            digest.update(side.offsets.tobytes())
            digest.update(side.pieces.tobytes())
    return digest.hexdigest()
