"""Hashes of the settings that a score depends on: the options of the jobs behind it, without seeds."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from operator import itemgetter
from pathlib import PurePath
from typing import Any

from crosslingua.config import digest
from crosslingua.errors import ConfigError
from crosslingua.places import suite
from crosslingua.workflow.jobs import Job, each
from crosslingua.workflow.workflow import Workflow

CUT = re.compile("[/.]")  # where the name of what a job makes may end in a path
AROUND_FILES = re.compile("([=,])")  # in a word: `ner/ana=FILE,FILE`
OF_A_SEED = re.compile(r"\bseed\d+\b")  # in a path
OF_EACH = ("layer",)  # columns with a value for each output of a line

# Of the folder that a line makes: task, training set and test set, or seed and test set.
Part = tuple[str, ...]
Told = Mapping[str, list[Any]]


@dataclass(frozen=True)
class _Made:
    """The maker of a path: a script, its options without outputs, and the column of the path."""

    script: str
    told: Told
    column: str = ""

    @cached_property
    def tasks(self) -> set[str]:
        """The tasks of data that words name: `ner/ana=FILE`."""
        keys = (_key(word) for split in ("train", "valid", "test") for word in self.told.get(split, ()))
        return {key.partition("/")[0] for key in keys if "/" in key}

    def about(self, part: Part) -> Iterator[tuple[str, Any]]:
        """Yield columns and words that count for a part: of its task and sets, or of none."""
        every = ((column, word) for column, words in self.told.items() for word in words)
        return (one for one in every if self._counts(*one, part)) if part else every

    def _counts(self, column: str, word: Any, part: Part) -> bool:
        task, *name = CUT.split(_key(word), 1)
        is_tuned = len(part) == len(("task", "training set", "test set"))
        if is_tuned and task in self.tasks - {*part}:
            return False
        if column == "test":
            return name == [part[-1]]
        on_own_set = column == "train" or (column == "valid" and "joint" not in self.told)
        return name == [part[1]] if is_tuned and "test" in self.told and on_own_set else True


class Hashes:
    """The hashes of what jobs make.

    A hash is of a script, its options and a line, without outputs. An input counts by the hash of what made it, or by
    its name if no job did. A seed does not count if the path of the output names it.
    """

    def __init__(self, w: Workflow, jobs: Iterable[Job]):
        self._results, self._data, self._suite = f"{w.results}/", f"{w.data}/", suite("")
        self._makers: dict[str, _Made] = {}
        for job in jobs:
            told = {**job.options, **job.named, "reads": job.reads, **next(iter(job.lines), {})}
            by_rule = ((path, _Made(job.script, self._told(told))) for path in job.makes)
            for path, made in by_rule if job.makes else self._by_lines(job):
                self._makers.setdefault(path, made)
        self._maker, self._digest = cache(self._find), cache(self._digest_of)

    def of(self, path: str, part: Part = ()) -> str:
        """Return the hash of a file or folder, or of a part of what makes it."""
        made, rest = self._maker(path)
        part = PurePath(rest).with_suffix("").parts[1:] if rest else part
        return self._digest(path, part if made.tasks else ())

    def _by_lines(self, job: Job) -> Iterator[tuple[str, _Made]]:
        choosing = [line["seed"] for line in job.lines if line.get("choosing")]
        options = self._told(job.options)
        for line in job.lines:
            told = options | self._told({**line, "choosing": choosing})
            for column, value in line.items():
                for place, path in enumerate(each(value)):
                    if self._is_output(path):
                        own = {name: [told[name][place]] for name in OF_EACH if name in told}
                        yield path, _Made(job.script, told | own, column)

    def _told(self, values: Mapping[str, Any]) -> dict[str, list[Any]]:
        """Return the words of each column that say something, without outputs."""
        words = {
            column: [w for w in each(value) if not (w is None or w is False or w == "" or self._is_output(w))]
            for column, value in values.items()
        }
        return {column: said for column, said in words.items() if said}

    def _is_output(self, word: Any) -> bool:
        return type(word) is str and word.startswith(self._results)

    def _find(self, path: str) -> tuple[_Made, str]:
        """Return the maker of a path, and the rest of the path after the maker's name."""
        for end in (len(path), *reversed([cut.start() for cut in CUT.finditer(path)])):
            if path[:end] in self._makers:
                return self._makers[path[:end]], path[end:]
        raise ConfigError(f"no job makes {path}")

    def _digest_of(self, path: str, part: Part) -> str:
        made, rest = self._maker(path)
        words = made.about(part)
        if OF_A_SEED.search(path):
            words = (one for one in words if one[0] != "seed" and not str(one[1]).startswith("seed="))
        told = sorted(((column, self._named(word, part)) for column, word in words), key=itemgetter(0))
        return digest(made.script, told, made.column, OF_A_SEED.sub("", rest))

    def _named(self, word: Any, part: Part) -> Any:
        """Return a word with hashes in place of files."""
        if not isinstance(word, str) or self._results not in word:
            if not isinstance(word, str):
                return word
            return word.removeprefix(self._data).removeprefix(self._suite)
        tokens = AROUND_FILES.split(word)
        return "".join(self.of(one, part) if one.startswith(self._results) else one for one in tokens)


def _key(word: Any) -> str:
    """Return the key of a word `key=value`."""
    return word.partition("=")[0] if isinstance(word, str) and "=" in word else ""
