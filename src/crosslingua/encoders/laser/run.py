"""From bitext files to the folder of a trained LASER: the training loop, and the similarity search that judges it."""

import dataclasses
import hashlib
import json
import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.nn.utils import clip_grad_norm_

from crosslingua.checkpoint import Checkpoints
from crosslingua.encoders.data import Pieces
from crosslingua.encoders.laser.decoder import (
    Files,
    LaserSettings,
    PivotDirection,
    Steps,
    TranslationBatch,
    Translator,
    new_translator,
    read_directions,
)
from crosslingua.encoders.trainer import Curve, Reporter, check_weights
from crosslingua.errors import CrosslinguaError, InputError
from crosslingua.io.atomic import atomic_folder
from crosslingua.io.bitext import read_bitext
from crosslingua.io.decode import tokens_of
from crosslingua.io.json import write_json
from crosslingua.io.tokenizer_files import TRAINED_LASER
from crosslingua.laser.fastbpe import TokenizerSubwords
from crosslingua.laser.laser import Laser, save_laser
from crosslingua.lexicon_induction.retrieval import nearest
from crosslingua.optimiser import AdamW
from crosslingua.provenance import sha256

# Similarity search: is a sentence's translation its nearest sentence of the other language? (section 4.4)


def similarity_search(laser: Laser, source: Sequence[str], target: Sequence[str]) -> dict[str, float]:
    """Return the accuracy (0-100) of finding line i of `target` from line i of `source`, and the other way.

    Sentences are words separated by spaces, and compared by cosine.
    """
    x, y = (laser.embed([tokens_of(line) for line in side]) for side in (source, target))
    return {"forward": _accuracy(x, y), "backward": _accuracy(y, x), "sentences": len(x)}


def _accuracy(queries: np.ndarray, candidates: np.ndarray) -> float:
    found, _ = nearest(queries, candidates, k=1)
    return 100 * float((found[:, 0] == np.arange(len(queries))).mean())


# The training loop of LASER.


ADAM_BETAS, ADAM_EPSILON = (0.9, 0.999), 1e-8  # Kingma and Ba 2015
KEPT = {  # in a checkpoint, of a trainer
    "step": "done", "subwords": "subwords", "seconds": "seconds", "curve": "_curve", "translator": "translator",
    "optimiser": "_optimiser",
}  # fmt: skip


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
        checkpoints.restore(self, KEPT)

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
                        self.checkpoints.keep(self, KEPT)
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


UNSEEN = ("device", "log_every", "checkpoint_every")  # settings that change no weight


@dataclass(frozen=True)
class LaserRun:
    """What to train on and where to; `test` is bitext for similarity search, which changes no weight."""

    bitext: Files
    pivots: Sequence[str]
    tokenizer: Path
    settings: LaserSettings
    out: Path
    test: Files = field(default_factory=dict)
    seed: int = 1


def train_laser(run: LaserRun) -> None:
    """Train as `run` says and write its folder, which appears whole or not at all.

    Killed, it goes on from its last checkpoint when called again, to the same weights (on the CPU, to the bit).
    """
    torch.set_flush_denormal(True)
    pieces, settings = Pieces(run.tokenizer), run.settings
    directions = read_directions(run.bitext, run.pivots, pieces, settings.max_length)
    tests = {"-".join(pair): sides(*files) for pair, files in run.test.items()}
    translator = new_translator(settings, pieces.size, pieces.specials.pad, len(run.pivots), run.seed)
    steps = Steps(directions, pieces.specials, settings, run.seed)
    files = checksums(run)
    trainer = LaserTrainer(translator, steps, Checkpoints(run.out, fingerprint(run, files)))
    trainer.train()
    laser = Laser(translator.encoder.cpu().eval(), TokenizerSubwords(run.tokenizer))
    found = {name: similarity_search(laser, *lines) for name, lines in tests.items()}
    with atomic_folder(run.out, TRAINED_LASER) as folder:
        save_laser(laser, folder)
        facts = report(run, directions, trainer)
        write_json(folder / "training.json", {**facts, "similarity_search": found, "sha256": files})
    trainer.checkpoints.remove()


def sides(source: str, target: str) -> list[tuple[str, ...]]:
    """Return the lines of two parallel files. Raises InputError if there are none."""
    lines = list(zip(*read_bitext(source, target), strict=True))
    if not lines:
        raise InputError(source, "has no sentences")
    return lines


def checksums(run: LaserRun) -> dict[str, str]:
    """Return the SHA-256 of every file that the weights depend on, by its role."""
    paths = {
        f"{'-'.join(pair)}.{i}": path for pair, both in run.bitext.items() for i, path in enumerate(both)
    }
    paths["tokenizer"] = str(run.tokenizer / "tokenizer.json")
    return {role: sha256(path) for role, path in paths.items()}


def fingerprint(run: LaserRun, files: Mapping[str, str]) -> str:
    """Return a name for the run, equal only where the weights would be."""
    settings = {k: v for k, v in dataclasses.asdict(run.settings).items() if k not in UNSEEN}
    what = [settings, list(run.pivots), run.seed, list(files.items()), torch.__version__]
    return hashlib.sha256(json.dumps(what).encode()).hexdigest()


def report(run: LaserRun, directions: Sequence[PivotDirection], trainer: LaserTrainer) -> dict[str, Any]:
    """Return what training.json tells of the training; losses are in nats a target subword."""
    return {
        "pivots": list(run.pivots),
        "seed": run.seed,
        "settings": dataclasses.asdict(run.settings),
        "pairs": {f"{direction.source}-{direction.pivot}": len(direction.rows) for direction in directions},
        "steps": trainer.done,
        "target_subwords": trainer.subwords,
        "subwords_per_second": round(trainer.rate, 1),
        "seconds": round(trainer.seconds, 3),
        "loss_curve": trainer.curve,
        "torch": torch.__version__,
    }
