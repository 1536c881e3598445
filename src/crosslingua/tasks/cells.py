"""Fine-tune one encoder on many (task, language) cells, and write what each predicts for its task's test files."""

from __future__ import annotations

import copy
import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import torch

from crosslingua.embedders.encoder import Encoder
from crosslingua.errors import ConfigError
from crosslingua.io.atomic import atomic_folder
from crosslingua.io.json import write_json
from crosslingua.tasks import TASKS
from crosslingua.tasks.settings import as_record, override
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
        TASKS.target(task)
        if (task, language) in files:
            raise ConfigError(f"{key} is given twice: {files[task, language]} and {path}")
        files[task, language] = Path(path)
    return files


def run_cells(encoder: Encoder, files: Files, settings: Sequence[str], seed: int, out: str | Path) -> None:
    """Fine-tune a copy of `encoder` on each cell and write `out/TASK/LANGUAGE/`, whole or not at all.

    A folder holds `TEST.conll` (or `.txt`: a label a line) for the test of each language, and `training.json`. A
    cell's result does not depend on the others. `settings`: see `settings.override`.
    """
    read = cache(lambda task, path: TASKS[task].read(path))
    for task, language in files.train:
        with atomic_folder(Path(out) / task / language) as folder:
            _run(copy.deepcopy(encoder), files, (task, language), settings, seed, folder, read)


def _run(encoder: Encoder, files: Files, key: Key, options, seed: int, folder: Path, read) -> None:
    (name, language), task = key, TASKS[key[0]]
    settings = override(task.published, name, options)
    encoder.limit(settings.max_length)
    examples, valid = read(name, files.train[key]), read(name, files.valid[key])
    torch.manual_seed(seed)
    model = task.model(encoder, examples)
    data, held_out = model.prepare(examples, language), model.prepare(valid, language)
    report = fine_tune(model, data, lambda: task.score(valid, model.predict(held_out)), settings, seed)
    log.info("%s/%s: validation %.1f", *key, max(epoch["validation"] for epoch in report["epochs"]))
    record = {
        "task": name,
        "language": language,
        "encoder": encoder.folder,
        "seed": seed,
        "labels": model.labels,
    }
    record |= {"settings": as_record(settings), "max_length": encoder.max_length, "train": data.report()}
    record |= {"valid": held_out.report(), "test": {}} | report
    for other, path in files.tests(name).items():
        record["test"][other] = _predict(
            task, model, read(name, path), other, folder / f"{other}{task.suffix}"
        )
    write_json(folder / "training.json", record)


def _predict(task: Any, model: Any, examples: Sequence[Any], language: str, path: Path) -> dict[str, int]:
    data = model.prepare(examples, language)
    task.write(path, examples, model.predict(data))
    return data.report()
