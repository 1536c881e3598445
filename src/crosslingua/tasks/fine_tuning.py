"""A call of finetune.py: fine-tune, predict test files, write predictions and a report; and one of select_settings.py.

A selection holds for every seed and training language. No test file is read for it. xlm_align searches on the joint
validation set of all languages (appendix C).
"""

import hashlib
import logging
from collections.abc import Sequence
from dataclasses import replace
from math import inf
from pathlib import Path
from typing import Any

import torch

from crosslingua.errors import ConfigError, InputError
from crosslingua.imports import digest_of_code
from crosslingua.io.atomic import atomic_folder, check_output_folder
from crosslingua.io.json import read_json, write_json
from crosslingua.nn.checkpoint import Checkpoints, digest
from crosslingua.tasks.batches import shared_rows
from crosslingua.tasks.kinds import REPORT, kind_of, prediction_folder
from crosslingua.tasks.scores import check_labels, labels_of
from crosslingua.tasks.settings import FineTuning
from crosslingua.tasks.training import grid, override, varied
from crosslingua.tasks.tuner import Files, Key, Tuner, best_score, checksum, read, read_all

log = logging.getLogger(__name__)


def predict(
    model: Any, key: Key, settings: FineTuning, tuner: Tuner, folder: Path
) -> dict[str, dict[str, int]]:
    """Write the predictions of a cell's model for the tests of its task, `folder/LANGUAGE.conll`; return counts of
    each. With `models`, predictions of the same model, file, settings and code are reused.
    """
    kind, counts = kind_of(key[0]), {}
    made_by = _fingerprint(model, key, settings, tuner) if tuner.models else ""
    for language, path in tuner.files.tests(key).items():
        place, kept = folder / f"{language}.{kind.form.predictions}", None
        if tuner.models:
            kept = Checkpoints(tuner.models / "-".join(key) / language, made_by + checksum(path))
        made = kept and kept.load()
        if made:
            place.write_bytes(made["file"])
        else:
            examples = read(key[0], path)
            prepared = model.prepare(examples, language)
            kind.task().write(place, examples, model.predict(prepared))
            # the report also counts predictions, so it comes last
            made = {"file": place.read_bytes(), "counts": prepared.report()}
            if kept:
                kept.save(made)
        counts[language] = made["counts"]
    return counts


def _fingerprint(model: Any, key: Key, settings: FineTuning, tuner: Tuner) -> str:
    """Return a digest of all inputs of predictions except the test file, weights included."""
    weights_digest = hashlib.sha256()
    for name, weights in model.state_dict().items():
        weights_digest.update(name.encode())
        weights_digest.update(weights.detach().cpu().contiguous().reshape(-1).view(torch.uint8).numpy())
    code = digest_of_code(__name__, *kind_of(key[0]).models)
    return digest([tuner.fingerprint(key, settings), code, weights_digest.hexdigest()])


def check_folders(files: Files, out: str | Path) -> None:
    """Raise ConfigError unless the folder of every cell can be written. Call it before encoders are loaded."""
    for key in files.train:
        check_output_folder(*prediction_folder(Path(out, *key), key[0], files.tests(key)))


def run_cells(
    tuner: Tuner, settings: Sequence[str], out: str | Path, selected: str | Path | None = None
) -> None:
    """Fine-tune a copy of the encoder on each cell and write `out/TASK/LANGUAGE/` atomically.

    A folder holds `TEST.conll` (or `.txt`) for the test of each language, and `training.json`. `settings` are as in
    `override`; settings `selected` for a task take precedence. A killed run resumes from the tuner's checkpoints, on
    CPUs to the same bytes.
    """
    files = tuner.files
    read_all(files)  # what is malformed is told before anything is trained
    chosen = {key: _settings(key[0], settings, selected) for key in files.train}
    labels = {key: _labels(files, key, own.share) for key, (own, _) in chosen.items()}
    for key, (own, choice) in chosen.items():
        with atomic_folder(*prediction_folder(Path(out, *key), key[0], files.tests(key))) as folder:
            model, report = tuner.tune(key, own)
            report |= {"selection": choice} if choice else {}
            tests = predict(model, key, own, tuner, folder).items()
            report["test"] = {name: counts | labels[key].get(name, {}) for name, counts in tests}
            write_json(folder / REPORT, report)
            log.info("%s/%s: validation %.1f", *key, best_score(report))
    tuner.forget()


def _settings(
    task: str, options: Sequence[str], selected: str | Path | None
) -> tuple[FineTuning, dict[str, Any] | None]:
    published = kind_of(task).task().published
    choice = read_selection(selected, task) if selected else None
    if not choice:
        return override(published, task, options), None
    return replace(grid(published, task, options)[0], **choice["chosen"]), choice


def _labels(files: Files, key: Key, share: float) -> dict[str, dict[str, list[str]]]:
    """Return, for tags, the labels of each test set that the share of training lacks, and the reverse."""
    if not kind_of(key[0]).tagged:
        return {}
    every = read(key[0], files.train[key])
    trained = labels_of(every[row] for row in shared_rows(len(every), share))
    tests = files.tests(key).items()
    return {name: check_labels(path, trained, labels_of(read(key[0], path))) for name, path in tests}


def select_settings(tuner: Tuner, options: Sequence[str], out: str | Path) -> None:
    """Write `out/TASK.json` for each task that is trained on: all trials and the best, the first of equals.

    `options` give several values of a setting as `name=value,value`. ConfigError if a task has two training languages.
    """
    check_one_language(tuner.files)
    read_all(tuner.files)
    keys = tuner.files.train
    grids = {key: grid(kind_of(key[0]).task().published, key[0], options) for key in keys}
    with atomic_folder(out, ["*.json"]) as folder:
        for key, points in grids.items():
            choice = _choose(tuner, key, points)
            write_json(folder / f"{key[0]}.json", choice)
            log.info("%s: %s", key[0], choice["chosen"])
    tuner.forget()


def check_one_language(files: Files) -> None:
    """Raise ConfigError if a task has two training languages, since one choice holds for all."""
    tasks = [task for task, _ in files.train]
    if double := next((task for task in tasks if tasks.count(task) > 1), None):
        raise ConfigError(
            f"--train names {double} twice: settings of a task are chosen once, on one language"
        )


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
        raise InputError(folder, "no such folder", remedy="crosslingua select-settings writes it")
    path = Path(folder) / f"{task}.json"
    if not path.is_file():
        return None
    record = read_json(path)
    if not isinstance(record, dict) or not isinstance(record.get("chosen"), dict):
        raise InputError(
            path, "tells no chosen settings", remedy="choose them again: crosslingua select-settings"
        )
    return record
