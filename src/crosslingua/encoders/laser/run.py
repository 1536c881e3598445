"""From bitext files to the folder of a trained LASER."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch

from crosslingua.encoders.laser.bitext import Direction, Files, read_directions
from crosslingua.encoders.laser.folder import save_laser
from crosslingua.encoders.laser.laser import Laser
from crosslingua.encoders.laser.settings import LaserSettings
from crosslingua.encoders.laser.similarity import similarity_search
from crosslingua.encoders.laser.tokenizer_subwords import TokenizerSubwords
from crosslingua.encoders.laser.training import Progress, train
from crosslingua.encoders.pieces import Pieces
from crosslingua.io.atomic import atomic_folder
from crosslingua.io.bitext import read_bitext
from crosslingua.io.json import write_json


def train_laser(
    bitext: Files,
    pivots: Sequence[str],
    tokenizer: Path,
    out: Path,
    settings: LaserSettings,
    *,
    test: Files | None = None,
    seed: int = 0,
    threads: int = 1,
) -> None:
    """Train on the files of `bitext` and write the folder `out`, with similarity search in those of `test`.

    The state is kept beside it in `out`.checkpoint, from which an interrupted run goes on, and is removed in
    the end.
    """
    torch.set_num_threads(threads)
    torch.set_flush_denormal(True)
    pieces, subwords = Pieces(tokenizer), TokenizerSubwords(tokenizer)
    directions = read_directions(bitext, pivots, pieces, settings.max_length)
    searched = {"-".join(pair): _lines(files) for pair, files in (test or {}).items()}
    checkpoint = out.with_name(out.name + ".checkpoint")
    started = time.perf_counter()
    translator, progress = train(directions, len(pivots), pieces, settings, seed, checkpoint)
    seconds = time.perf_counter() - started
    laser = Laser(translator.encoder.cpu(), subwords)
    found = {name: similarity_search(laser, *lines) for name, lines in searched.items()}
    with atomic_folder(out) as folder:
        save_laser(laser, folder)
        facts = {"pivots": list(pivots), "seed": seed, "threads": threads, "seconds": seconds}
        write_json(folder / "training.json", facts | report(settings, directions, progress, found))
    checkpoint.unlink(missing_ok=True)


def report(
    settings: LaserSettings, directions: Sequence[Direction], progress: Progress, similarity: dict[str, Any]
) -> dict[str, Any]:
    """Return what training.json tells of a run; the loss curve is in nats a target subword."""
    return {
        "settings": asdict(settings),
        "pairs": {f"{direction.source}-{direction.pivot}": len(direction.rows) for direction in directions},
        "steps": progress.step,
        "target_subwords": progress.subwords,
        "loss": progress.curve,
        "similarity_search": similarity,
    }


def _lines(files: tuple[str, str]) -> tuple[list[str], list[str]]:
    pairs = list(read_bitext(*files))
    return [source for source, _ in pairs], [target for _, target in pairs]
