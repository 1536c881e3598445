"""Fine-tune one encoder on many (task, language) cells, and write what each predicts for its task's test files."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from crosslingua.embedders.encoder import Encoder
from crosslingua.io.atomic import atomic_folder
from crosslingua.io.json import write_json
from crosslingua.io.output_folder import check_output_folder
from crosslingua.tasks.files import Files, Key, read, read_all
from crosslingua.tasks.kinds import kind_of
from crosslingua.tasks.known_labels import check_labels, labels_of
from crosslingua.tasks.predicting import predict
from crosslingua.tasks.report import REPORT
from crosslingua.tasks.selection import read_selection
from crosslingua.tasks.settings import FineTuning, grid, override
from crosslingua.tasks.shares import shared_rows
from crosslingua.tasks.tuner import Tuner, best_score

log = logging.getLogger(__name__)


def check_folders(files: Files, out: str | Path) -> None:
    """Raise ConfigError unless the folder of every cell can be written. Call it before encoders are loaded."""
    for key in files.train:
        check_output_folder(Path(out, *key), _names(files, key, out))


def _names(files: Files, key: Key, out: str | Path) -> list[str]:
    """Return what a cell's folder may hold to be replaced: predictions of other languages too if it is a cell's."""
    suffix = kind_of(key[0]).prediction_suffix
    tests = [f"{language}.{suffix}" for language in files.tests(key[0])]
    earlier = [f"*.{suffix}"] if Path(out, *key, REPORT).is_file() else []
    return [REPORT, *tests, *earlier]


def run_cells(
    encoder: Encoder,
    files: Files,
    settings: Sequence[str],
    seed: int,
    out: str | Path,
    selected: str | Path | None = None,
    checkpoints: str | Path | None = None,
    models: str | Path | None = None,
) -> None:
    """Fine-tune a copy of `encoder` on each cell and write `out/TASK/LANGUAGE/`, whole or not at all.

    A folder holds `TEST.conll` (or `.txt`: a label a line) for the test of each language, and `training.json`. A
    cell's result does not depend on the others. `settings`: see `settings.override`; over them those that were
    `selected` for a task (a folder of `selection.select_settings`). Killed and called again, it goes on from
    `checkpoints`, a folder that vanishes at the end, to the same bytes on CPUs. `models`: see `Tuner` and
    `predicting.predict`.
    """
    read_all(files)  # what is malformed is told before anything is trained
    chosen = {key: _settings(key[0], settings, selected) for key in files.train}
    labels = {key: _labels(files, key, own.share) for key, (own, _) in chosen.items()}
    tuner = Tuner(encoder, files, seed, checkpoints, models)
    for key, (own, choice) in chosen.items():
        with atomic_folder(Path(out, *key), _names(files, key, out)) as folder:
            model, report = tuner.tune(key, own)
            report |= {"selection": choice} if choice else {}
            found = predict(model, key, own, tuner, folder)
            report["test"] = {name: counts | labels[key].get(name, {}) for name, counts in found.items()}
            write_json(folder / REPORT, report)
            log.info("%s/%s: validation %.1f", *key, best_score(report))
    tuner.forget()


def _settings(
    task: str, options: Sequence[str], selected: str | Path | None
) -> tuple[FineTuning, dict[str, Any] | None]:
    """Return the settings of a task, and what was selected of them, if anything was."""
    points = grid(kind_of(task).task().published, task, options)
    choice = read_selection(selected, task) if selected else None
    if not choice:
        return override(kind_of(task).task().published, task, options), None
    return replace(points[0], **choice["chosen"]), choice


def _labels(files: Files, key: Key, share: float) -> dict[str, dict[str, list[str]]]:
    """Return, of tags, which labels each test set has that the share of training lacks, and the reverse.

    Raises InputError for a test set that has none of them.
    """
    if not kind_of(key[0]).tagged:
        return {}
    every = read(key[0], files.train[key])
    trained = labels_of(every[row] for row in shared_rows(len(every), share))
    tests = files.tests(key[0]).items()
    return {name: check_labels(path, trained, labels_of(read(key[0], path))) for name, path in tests}
