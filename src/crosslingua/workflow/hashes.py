"""Hashes of the settings that a score depends on: of what the jobs behind it are told, without seeds."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePath
from typing import Any

from crosslingua.config import digest
from crosslingua.workflow.jobs import Job
from crosslingua.workflow.workflow import Workflow

CUT = re.compile("[/.]")  # where the name of what a job makes may end in a path
AROUND_FILES = re.compile("([=,])")  # in a word: `ner/ana=FILE,FILE`
OF_A_SEED = re.compile(r"\bseed\d+\b")  # in a path
OF_EACH = ("layer",)  # columns with a value for each output of a line

Words = list[Any]
Part = tuple[str, ...]  # of the folder that a line makes: task, training set, test set; or seed and test set


@dataclass(frozen=True)
class _Made:
    """What makes a path: a script, what it is told but for outputs, and which of its outputs the path is.

    `named` says whether the rule names the output.
    """

    script: str
    told: Mapping[str, Words]
    output: str = ""
    named: bool = False

    @cached_property
    def tasks(self) -> set[str]:
        """The tasks of data that words name: `ner/ana=FILE`."""
        keys = (_key(word) for split in ("train", "valid", "test") for word in self.told.get(split, ()))
        return {key.partition("/")[0] for key in keys if "/" in key}

    def counted(self, column: str, part: Part) -> Words:
        """Return the words of a column that count for a part: of its task and of its sets, or of none."""
        words = self.told[column]
        if len(part) == len(("task", "training set", "test set")):
            others = self.tasks - {*part}
            words = [word for word in words if CUT.split(_key(word))[0] not in others]
        sets = {"test": part[-1:], "train": part[1:-1], "valid": () if "joint" in self.told else part[1:-1]}
        if "test" in self.told and self.tasks and sets.get(column):
            words = [word for word in words if _key(word).partition("/")[2] in sets[column]]
        return words


class Hashes:
    """The hashes of what jobs make.

    A hash is of a script, its options and a line, without outputs. An input counts by the hash of what made it, or by
    its name if no job did. A seed does not count if the path of what is made names it.
    """

    def __init__(self, w: Workflow, jobs: Iterable[Job]):
        self._results, self._data = f"{w.results}/", f"{w.data}/"
        self._found: dict[str, tuple[_Made, str]] = {}
        self._known: dict[tuple[str, Part, str], str] = {}
        self._makers: dict[str, _Made] = {}
        for job in jobs:
            for path, made in self._by_rule(job) if job.makes else self._by_lines(job):
                self._makers.setdefault(path, made)

    def of(self, path: str, part: Part = ()) -> str:
        """Return the hash of a file or folder, or of a part of what makes it."""
        if path not in self._found:
            self._found[path] = self._maker(path)
        made, rest = self._found[path]
        if rest and not made.named:
            part, rest = PurePath(rest).with_suffix("").parts[1:], ""
        asked = path, part if made.tasks else (), rest
        if asked not in self._known:
            self._known[asked] = self._digest(made, *asked)
        return self._known[asked]

    def of_score(self, score: str, less: str = "") -> str:
        """Return the hash of a score, or of its difference from another."""
        return digest(self.of(score), self.of(less)) if less else self.of(score)

    def _by_rule(self, job: Job) -> Iterator[tuple[str, _Made]]:
        told = {**job.options, **job.named, "reads": job.reads, **next(iter(job.lines), {})}
        made = _Made(job.script, self._words(told), named=True)
        yield from ((path, made) for path in job.makes)

    def _by_lines(self, job: Job) -> Iterator[tuple[str, _Made]]:
        choosing = [line["seed"] for line in job.lines if line.get("choosing")]
        options = self._words(job.options)
        for line in job.lines:
            told = options | self._words({**line, "choosing": choosing})
            for column, value in line.items():
                for place, path in enumerate(_each(value)):
                    if self._is_output(path):
                        own = {name: [told[name][place]] for name in OF_EACH if name in told}
                        yield path, _Made(job.script, told | own, column)

    def _words(self, told: Mapping[str, Any]) -> dict[str, Words]:
        words = {
            column: [word for word in _each(value) if self._says(word)] for column, value in told.items()
        }
        return {column: told for column, told in words.items() if told}

    def _says(self, word: Any) -> bool:
        return not (word is None or word is False or word == "" or self._is_output(word))

    def _is_output(self, word: Any) -> bool:
        return type(word) is str and word.startswith(self._results)

    def _digest(self, made: _Made, path: str, part: Part, rest: str) -> str:
        ignored = ("seed",) if OF_A_SEED.search(path) else ()
        told = {
            column: [self._named(word, part, ignored) for word in made.counted(column, part)]
            for column in made.told
            if column not in ignored
        }
        return digest(made.script, told, made.output, rest)

    def _maker(self, path: str) -> tuple[_Made, str]:
        """Return what makes a path, and the rest of the path after what it names."""
        for end in (len(path), *reversed([cut.start() for cut in CUT.finditer(path)])):
            if path[:end] in self._makers:
                return self._makers[path[:end]], path[end:]
        raise AssertionError(f"no job makes {path}")

    def _named(self, word: Any, part: Part, ignored: Part) -> Any:
        """Return a word with hashes in place of files."""
        if not isinstance(word, str):
            return word
        if _key(word) in ignored:
            return ""
        return "".join(
            self.of(token, part) if token.startswith(self._results) else token.removeprefix(self._data)
            for token in AROUND_FILES.split(word)
        )


def _each(value: Any) -> list[Any]:
    return list(value) if isinstance(value, (list, tuple)) else [value]


def _key(word: Any) -> str:
    """Return the key of a word `key=value`."""
    return word.partition("=")[0] if isinstance(word, str) and "=" in word else ""
