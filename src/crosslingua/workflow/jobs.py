"""A job: one call of a script, from which inputs, plan, command line, code list and hashes (`hashes`) follow.

A stage states its jobs, `planning.STAGES` collects the stages, and a rule asks for a job by name. All plans are written
before Snakemake builds its graph, so no input function writes a file.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

from crosslingua.errors import ConfigError, did_you_mean
from crosslingua.imports import project_files
from crosslingua.places import from_here, suite
from crosslingua.workflow.workflow import Workflow, options

LISTED = 20  # jobs that an error names, at most


def files_of(script: str, *members: str | None) -> list[str]:
    """Return the project files that a script runs: itself, its imports, the members that it loads by name."""
    path = suite(f"scripts/{script}")
    return [path, *map(from_here, project_files(path, [m for m in members if m]))]


class In(str):
    """An input, named in a plan or command. `made_by` are the files or folders that rules make, if others; those of an
    input stay where it is named again.
    """

    made_by: tuple[str, ...]

    def __new__(cls, word: str, made_by: str | Iterable[str] = "") -> Self:
        """Mark a word as an input."""
        made = super().__new__(cls, word)
        files = (made_by or word,) if isinstance(made_by, str) else made_by
        made.made_by = tuple(
            path for file in files for path in (file.made_by if isinstance(file, In) else (file,))
        )
        return made


def each(*values: Any) -> Iterator[Any]:
    """Yield the words of options or columns, which are words or lists of words."""
    for value in values:
        yield from value if isinstance(value, (list, tuple)) else [value]


@dataclass(frozen=True)
class Job:
    """One call of a script.

    `name` names the job and its plan (`align_vectors/ana-ber.world.procrustes`). `lines` are the lines of the plan
    (`--cells`), `options` hold for all lines. `members` are the registry modules that the script loads by name. `reads`
    are further inputs, and the rule's command names `named` inputs; every `In` is an input. `brief` is a plan in JSON
    (`--plan`). `plan` names a plan that jobs share. `makes` are the folders, and files with or without suffixes, that
    the rule names; lines name theirs themselves, below the results and without `In`.
    """

    script: str
    name: str
    lines: Sequence[Mapping[str, Any]] = ()
    options: Mapping[str, Any] = field(default_factory=dict)
    members: Sequence[str | None] = ()
    reads: Sequence[str] = ()
    named: Mapping[str, str | Sequence[str]] = field(default_factory=dict)
    brief: Mapping[str, Any] | None = None
    plan: str = ""
    makes: Sequence[str] = ()

    def marked(self) -> Iterator[In]:
        """Yield the inputs that options and lines name."""
        named = (value for part in (self.options, *self.lines) for value in part.values())
        return (word for word in each(*named) if isinstance(word, In))

    def written(self, w: Workflow) -> Iterator[str]:
        """Yield the files and folders below the results that lines name as theirs."""
        named = each(*(value for line in self.lines for value in line.values()))
        return (word for word in named if type(word) is str and word.startswith(f"{w.results}/"))

    def files(self) -> list[str]:
        """Return the files and folders that the job reads, each once, in the order of their mention."""
        made = [path for word in self.marked() for path in word.made_by]
        return list(dict.fromkeys([*self.reads, *made]))

    def inputs(self, w: Workflow) -> dict[str, Any]:
        """Return the inputs of the job's rule: `files`, named files, `cells` or `plan` if any, and `code`."""
        plan, name = {}, self.plan or self.name
        if self.brief is not None:
            plan = {"plan": w.plan_file(name, "json")}
        elif self.lines:
            plan = {"cells": w.plan_file(name)}
        code = files_of(self.script, *self.members)
        return {"files": self.files(), **self.named, **plan, "code": code}

    def write_plan(self, w: Workflow) -> None:
        """Write the plan of a job that has one, unless the file has the same content."""
        if self.lines:
            w.plan(self.plan or self.name, self.lines)
        if self.brief is not None:
            w.brief(self.plan or self.name, self.brief)

    def words(self) -> str:
        """Return the options as words of the command line, quoted for the shell."""
        return options(self.options)


class Jobs(dict[str, Job]):
    """The jobs of a configuration by name, without empty ones."""

    def __init__(self, jobs: Iterable[Job]):
        super().__init__()
        for job in jobs:
            has_work = job.lines or job.options or job.reads or job.named or job.brief is not None
            if has_work and self.setdefault(job.name, job) != job:
                raise AssertionError(f"two jobs are named {job.name}")

    def __missing__(self, name: str) -> Job:
        """Raise ConfigError, with the jobs of this kind: a target asks for what this configuration has not."""
        kind, _, own = name.partition("/")
        alike = [other.partition("/")[2] for other in self if other.startswith(f"{kind}/")]
        there = ", ".join(alike[:LISTED]) + ", ..." * (len(alike) > LISTED)
        hint = did_you_mean(own, alike)
        raise ConfigError(
            f"{own!r} is not defined under {kind} of this configuration: {there or 'none'}{hint}"
        )
