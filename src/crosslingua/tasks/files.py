"""The data files of fine-tuning, by task and language."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from crosslingua.errors import ConfigError
from crosslingua.tasks.kinds import kind_of

Key = tuple[str, str]  # task, language


@dataclass(frozen=True)
class Files:
    """Data files by (task, language). Every cell of `train` has a `valid` file, and all tests of its task.

    Without `test` nothing is predicted: settings are selected.
    `joint`: the model is selected on the mean over all valid files of its task, not on that of its own language.
    """

    train: Mapping[Key, Path]
    valid: Mapping[Key, Path]
    test: Mapping[Key, Path] = field(default_factory=dict)
    joint: bool = False

    def __post_init__(self) -> None:
        for task, language in self.train:
            if not self.validation((task, language)):
                raise ConfigError(f"--valid has no {task}/{language}: the model is selected on it")
            if self.test and not self.tests(task):
                raise ConfigError(f"--test has no file of {task}: nothing to predict")

    def validation(self, key: Key) -> dict[str, Path]:
        """The files that a cell's model is selected on, by language."""
        if self.joint:
            return _of(key[0], self.valid)
        return {key[1]: self.valid[key]} if key in self.valid else {}

    def tests(self, task: str) -> dict[str, Path]:
        """The test files of a task, by language."""
        return _of(task, self.test)

    @property
    def all(self) -> Iterator[tuple[str, Path]]:
        """Every file, with its task."""
        for part in (self.train, self.valid, self.test):
            yield from ((task, path) for (task, _), path in part.items())


def _of(task: str, files: Mapping[Key, Path]) -> dict[str, Path]:
    return {language: path for (name, language), path in files.items() if name == task}


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


@cache
def read(task: str, path: Path) -> list[Any]:
    """Read a file once for every encoder that learns from it or predicts it."""
    return kind_of(task).task().read(path)


def read_all(files: Files) -> None:
    """Read every file. Raises InputError for the first that is malformed."""
    for task, path in files.all:
        read(task, path)
