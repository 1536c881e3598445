"""Select settings of fine-tuning on validation data, with one training for each point of the grid, with one seed.

The selection holds for every seed and training language. No test file is read. xlm_align searches on the joint
validation set of all languages (appendix C).
"""

import logging
from collections.abc import Sequence
from math import inf
from pathlib import Path
from typing import Any

from crosslingua.embedders.encoder import Encoder
from crosslingua.errors import ConfigError, InputError
from crosslingua.io.atomic import atomic_folder
from crosslingua.io.json import read_json, write_json
from crosslingua.tasks.kinds import kind_of
from crosslingua.tasks.training import FineTuning, grid, varied
from crosslingua.tasks.tuner import Files, Key, Tuner, best_score, read_all

log = logging.getLogger(__name__)


def select_settings(
    encoder: Encoder,
    files: Files,
    options: Sequence[str],
    seed: int,
    out: str | Path,
    checkpoints: str | Path | None = None,
    models: str | Path | None = None,
) -> None:
    """Write `out/TASK.json` for each task of `files.train`: all trials and the best, the first of equals.

    `options` give several values of a setting as `name=value,value`; see `run_cells` for `checkpoints` and `models`.
    ConfigError if a task has two training languages.
    """
    check_one_language(files)
    read_all(files)
    grids = {key: grid(kind_of(key[0]).task().published, key[0], options) for key in files.train}
    tuner = Tuner(encoder, files, seed, checkpoints, models)
    with atomic_folder(out, ["*.json"]) as folder:
        for key, points in grids.items():
            chosen = _choose(tuner, key, points)
            write_json(folder / f"{key[0]}.json", chosen)
            log.info("%s: %s", key[0], chosen["chosen"])
    tuner.forget()


def check_one_language(files: Files) -> None:
    """Raise ConfigError if a task has two training languages, since one choice holds for all."""
    tasks = [task for task, _ in files.train]
    if double := next((task for task in tasks if tasks.count(task) > 1), None):
        raise ConfigError(f"--train names {double} twice: settings are chosen once a task, on one language")


def _choose(tuner: Tuner, key: Key, points: Sequence[FineTuning]) -> dict[str, Any]:
    names, tried = varied(points), []
    for number, point in enumerate(points):
        best_yet = max((one["validation"] for one in tried), default=-inf)
        _, report = tuner.tune(key, point, number, above=best_yet)
        settings = {name: getattr(point, name) for name in names}
        kept = {name: report[name] for name in ("selected", "cpu_seconds")}
        tried.append({"settings": settings, "validation": best_score(report)} | kept)
    best = max(tried, key=lambda one: one["validation"])
    return {
        "task": key[0],
        "language": key[1],
        "encoder": tuner.encoder.folder,
        "seed": tuner.seed,
        "validated_on": list(tuner.files.validation(key)),
        "grid": names,
        "tried": tried,
        "chosen": best["settings"],
    }


def read_selection(folder: str | Path, task: str) -> dict[str, Any] | None:
    """Return the record of a task's selection, or None. Raises InputError for a missing folder."""
    if not Path(folder).is_dir():
        raise InputError(folder, "no such folder", remedy="select_settings.py writes it")
    path = Path(folder) / f"{task}.json"
    if not path.is_file():
        return None
    found = read_json(path)
    if not isinstance(found, dict) or not isinstance(found.get("chosen"), dict):
        raise InputError(path, "tells no chosen settings", remedy="choose them again: select_settings.py")
    return found
