"""Fine-tune one encoder on many (task, language) cells, and write what each predicts for its task's test files."""

from __future__ import annotations

import copy
import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

import torch

from crosslingua.embedders.encoder import Encoder
from crosslingua.errors import ConfigError
from crosslingua.io.atomic import atomic_folder
from crosslingua.io.json import write_json
from crosslingua.io.output_folder import check_output_folder
from crosslingua.tasks.kinds import kind_of
from crosslingua.tasks.report import REPORT
from crosslingua.tasks.settings import FineTuning, override
from crosslingua.tasks.training import fine_tune

log = logging.getLogger(__name__)

Key = tuple[str, str]  # task, language


@dataclass(frozen=True)
class Files:
    """Data files by (task, language). Every cell of `train` has a `valid` file, and all tests of its task."""

    train: Mapping[Key, Path]
    valid: Mapping[Key, Path]
    test: Mapping[Key, Path]

    def __post_init__(self) -> None:
        for task, language in self.train:
            if (task, language) not in self.valid:
                raise ConfigError(f"--valid has no {task}/{language}: the model is selected on it")
            if not self.tests(task):
                raise ConfigError(f"--test has no file of {task}: nothing to predict")

    def tests(self, task: str) -> dict[str, Path]:
        """The test files of a task, by language."""
        return {language: path for (name, language), path in self.test.items() if name == task}


def parse_files(options: Iterable[str]) -> dict[Key, Path]:
    """Read `TASK/LANGUAGE=FILE` options. Raises ConfigError on another form, an unknown task, or one key twice."""
    files: dict[Key, Path] = {}
    for option in options:
        key, equals, path = option.partition("=")
        task, slash, language = key.partition("/")
        if not equals or not slash or not language or not path:
            raise ConfigError(f"{option!r}: write TASK/LANGUAGE=FILE, e.g. ner/en=train.conll")
        kind_of(task)
        if (task, language) in files:
            raise ConfigError(f"{key} is given twice: {files[task, language]} and {path}")
        files[task, language] = Path(path)
    return files


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


def run_cells(encoder: Encoder, files: Files, settings: Sequence[str], seed: int, out: str | Path) -> None:
    """Fine-tune a copy of `encoder` on each cell and write `out/TASK/LANGUAGE/`, whole or not at all.

    A folder holds `TEST.conll` (or `.txt`: a label a line) for the test of each language, and `training.json`. A
    cell's result does not depend on the others. `settings`: see `settings.override`.
    """
    for part in (files.train, files.valid, files.test):
        for (task, _), path in part.items():
            _read(task, path)  # what is malformed is told before anything is trained
    chosen = {key: override(kind_of(key[0]).task().published, key[0], settings) for key in files.train}
    for key, own in chosen.items():
        with atomic_folder(Path(out, *key), _names(files, key, out)) as folder:
            tests = {name: _read(key[0], path) for name, path in files.tests(key[0]).items()}
            data = (_read(key[0], files.train[key]), _read(key[0], files.valid[key]), tests)
            report = _run(copy.deepcopy(encoder), key, data, own, seed, folder)
            write_json(folder / REPORT, {"encoder": encoder.folder, "seed": seed, **report})
            log.info("%s/%s: validation %.1f", *key, max(epoch["validation"] for epoch in report["epochs"]))


@cache
def _read(task: str, path: Path) -> list[Any]:
    """Read a file once for every encoder that learns from it or predicts it."""
    return kind_of(task).task().read(path)


def _run(
    encoder: Encoder,
    key: Key,
    data: tuple[list, list, dict[str, list]],
    settings: FineTuning,
    seed: int,
    folder: Path,
) -> dict[str, Any]:
    """Fine-tune `encoder` on a cell's (train, valid, tests), write predictions into `folder`; return what happened."""
    (name, language), record, (train, valid, tests) = key, kind_of(key[0]), data
    task = record.task()
    encoder.limit(settings.max_length)
    if settings.freeze_embeddings:
        encoder.model.get_input_embeddings().requires_grad_(False)
    torch.manual_seed(seed)
    model = task.model(encoder, train, settings)
    learnt, held_out = model.prepare(train, language), model.prepare(valid, language)
    report = {
        "task": name,
        "language": language,
        "settings": asdict(settings),
        "max_length": encoder.max_length,
    }
    report |= {"labels": model.labels, "train": learnt.report(), "valid": held_out.report()}
    report |= fine_tune(model, learnt, lambda: task.score(valid, model.predict(held_out)), settings, seed)
    report["test"] = {}
    for other, examples in tests.items():
        prepared = model.prepare(examples, other)
        task.write(folder / f"{other}.{record.prediction_suffix}", examples, model.predict(prepared))
        report["test"][other] = prepared.report()
    return report
