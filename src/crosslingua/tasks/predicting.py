"""One call of fine-tuning: tune, predict test files, keep the predictions and a report."""

import hashlib
import json
import logging
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch

from crosslingua.checkpoint import Checkpoints
from crosslingua.embedders.encoder import Encoder
from crosslingua.imports import digest_of_code
from crosslingua.io.atomic import atomic_folder, check_output_folder
from crosslingua.io.json import write_json
from crosslingua.tasks.batches import shared_rows
from crosslingua.tasks.kinds import REPORT, kind_of
from crosslingua.tasks.scores import check_labels, labels_of
from crosslingua.tasks.selection import read_selection
from crosslingua.tasks.training import FineTuning, grid, override
from crosslingua.tasks.tuner import Files, Key, Tuner, best_score, checksum, read, read_all


def predict(
    model: Any, key: Key, settings: FineTuning, tuner: Tuner, folder: Path
) -> dict[str, dict[str, int]]:
    """Write what a cell's model predicts for the tests of its task, `folder/LANGUAGE.conll`; return the counts of
    each.

    Where models are kept, so are predictions: one by the same model, file, settings and code is taken from there.
    """
    record, counts = kind_of(key[0]), {}
    made_by = _fingerprint(model, key, settings, tuner) if tuner.models else ""
    for language, path in tuner.files.tests(key[0]).items():
        place = folder / f"{language}.{record.prediction_suffix}"
        kept = _kept(tuner, key, language, made_by + checksum(path))
        found = kept and kept.load()
        if found:
            place.write_bytes(found["file"])
        else:
            examples = read(key[0], path)
            prepared = model.prepare(examples, language)
            record.task().write(place, examples, model.predict(prepared))
            # the report counts what was predicted, too: it comes last
            found = {"file": place.read_bytes(), "counts": prepared.report()}
            if kept:
                kept.save(found)
        counts[language] = found["counts"]
    return counts


def _kept(tuner: Tuner, key: Key, language: str, fingerprint: str) -> Checkpoints | None:
    """Return where a prediction is kept: one for each language, which a later one replaces."""
    return Checkpoints(tuner.models / "-".join(key) / language, fingerprint) if tuner.models else None


def _fingerprint(model: Any, key: Key, settings: FineTuning, tuner: Tuner) -> str:
    """Return a digest of all that predictions depend on but the test file; the weights are part of it."""
    kind = kind_of(key[0])
    code = digest_of_code(__name__, kind.model, kind.text)
    device = next(model.parameters()).device.type
    what = [tuner.fingerprint(key, settings), code, _digest(model), device]
    return hashlib.sha256(json.dumps(what).encode()).hexdigest()


def _digest(model: Any) -> str:
    """Return a digest of a model's weights."""
    digest = hashlib.sha256()
    for name, weights in model.state_dict().items():
        digest.update(name.encode())
        digest.update(weights.detach().cpu().contiguous().reshape(-1).view(torch.uint8).numpy())
    return digest.hexdigest()


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

    A folder holds `TEST.conll` (or `.txt`) for the test of each language, and `training.json`. `settings`: see
    `settings.override`; over them those that were `selected` for a task. Killed and called again, it goes on from
    `checkpoints` to the same bytes on CPUs. `models`: see `Tuner` and `predict`.
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
    """Return, of tags, which labels each test set has that the share of training lacks, and the reverse."""
    if not kind_of(key[0]).tagged:
        return {}
    every = read(key[0], files.train[key])
    trained = labels_of(every[row] for row in shared_rows(len(every), share))
    tests = files.tests(key[0]).items()
    return {name: check_labels(path, trained, labels_of(read(key[0], path))) for name, path in tests}
