"""From bitext files to the folder of a trained LASER."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch

from crosslingua.checkpoint import Checkpoints
from crosslingua.corpora.datasets.checksum import sha256
from crosslingua.encoders.files import TRAINED_LASER
from crosslingua.encoders.laser.batches import Steps
from crosslingua.encoders.laser.directions import Files, PivotDirection, read_directions
from crosslingua.encoders.laser.settings import LaserSettings
from crosslingua.encoders.laser.similarity import similarity_search
from crosslingua.encoders.laser.training import LaserTrainer
from crosslingua.encoders.laser.translator import new_translator
from crosslingua.encoders.pieces import Pieces
from crosslingua.errors import InputError
from crosslingua.io.atomic import atomic_folder
from crosslingua.io.bitext import read_bitext
from crosslingua.io.json import write_json
from crosslingua.laser.folder import save_laser
from crosslingua.laser.laser import Laser
from crosslingua.laser.tokenizer_subwords import TokenizerSubwords

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
