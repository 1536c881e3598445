"""The plan of a job that makes many things: which of its lines made a file, and which inputs those lines name."""

from __future__ import annotations

import csv
import re
import shlex
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePath

from crosslingua.io.json import read_json

OPTION = re.compile(r"--(?:cells|plan)[= ](\S+)")


@dataclass(frozen=True)
class Planned:
    """A line of a plan: where it stands (1-based), and its fields."""

    path: str
    number: int
    fields: Mapping[str, str]

    def files(self, made: Iterable[str] = ()) -> set[str]:
        """Return the files that it names; where `made` is told, without those of other tasks than it belongs to."""
        return {value for _, _, value in self._words(made) if "/" in value}

    def settings(self, made: Iterable[str] = ()) -> str:
        """Return what it says besides files: `seed=1 set=pos.epochs=2`."""
        texts: dict[str, list[str]] = {}
        for column, key, value in self._words(made):
            if "/" not in value:
                texts.setdefault(column, []).append(f"{key}={value}" if key else value)
        return ", ".join(f"{column}: {' '.join(words)}" for column, words in texts.items())

    def makes(self, file: str) -> bool:
        """Whether it names a file, or a folder above or below it."""
        return any(within(file, name) or within(name, file) for name in self.files())

    def _words(self, made: Iterable[str]) -> Iterator[tuple[str, str, str]]:
        """Yield column, key and value of each word: `train`, `ner/ana` and a file, of `ner/ana=FILE`.

        A line that fine-tunes on several tasks names files and settings by task, and predictions lie in a folder a task.
        """
        words = [(column, *_key(word)) for column, text in self.fields.items() for word in shlex.split(text)]
        tasks = {_task(key) for _, key, _ in words if "/" in key}
        folders = {part for file in made for part in PurePath(file).parts} & tasks
        others = tasks - folders if folders else set()
        return (word for word in words if _task(word[1]) not in others)


def _key(word: str) -> tuple[str, str]:
    key, _, value = word.rpartition("=") if word.count("=") == 1 else ("", "", word)
    return key, value


def _task(key: str) -> str:
    return re.split("[/.]", key)[0]


def within(file: str, folder: str) -> bool:
    """Whether a file is `folder`, or lies in it."""
    return file == folder or file.startswith(f"{folder}/")


def plans_of(command: str, root: Path) -> list[str]:
    """Return the plans that a command names: lines of CSV; of a plan in JSON those that it names as its cells."""
    named = OPTION.findall(command)
    lists = [[name] if not name.endswith(".json") else _cells(root / name) for name in named]
    return [name for names in lists for name in names if (root / name).is_file()]


def _cells(path: Path) -> list[str]:
    return list(read_json(path).get("cells", ())) if path.is_file() else []


def read_lines(root: Path, name: str) -> list[Planned]:
    """Read the lines of a plan in CSV."""
    with (root / name).open(encoding="utf-8", newline="") as stream:
        reader = csv.DictReader(stream)
        return [Planned(name, reader.line_num, record) for record in reader]


def named_inputs(inputs: Collection[str], named: Collection[str], others: Collection[str]) -> list[str]:
    """Return the inputs that count: what is `named` of each; all of one that neither `named` nor `others` name."""
    found: dict[str, None] = {}
    for file in inputs:
        inside = sorted(name for name in named if within(name, file))
        if inside:
            found |= dict.fromkeys([file] if file in inside else inside)
        elif not any(within(name, file) for name in others):
            found[file] = None
    return list(found)
