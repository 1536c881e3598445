"""A job: one call of a script. Its inputs, plan, command line and code list follow from one value.

A stage states its jobs (`vectors.mapping_jobs`), `planning.STAGES` collects the stages, and a rule asks for a job by
its name. All plans are written before Snakemake builds its graph, so no input function writes a file.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

from crosslingua.errors import ConfigError
from crosslingua.workflow.code import files_of
from crosslingua.workflow.workflow import Workflow, options


class In(str):
    """A path that a job reads. `made_by` is the folder that another rule makes as a whole, where there is one."""

    made_by: str

    def __new__(cls, path: str, made_by: str = "") -> Self:
        """Mark a path as an input."""
        made = super().__new__(cls, path)
        made.made_by = made_by or path
        return made


@dataclass(frozen=True)
class Job:
    """One call of a script.

    `name` names the job and its plan (`align_vectors/ana-ber.world.procrustes`). `lines` are the lines of the plan
    (`--cells`), `options` hold for all lines. `members` are the registry modules that the script loads by name.
    `reads` are inputs that neither a line nor an option names. Every `In` in lines, options and reads is an input.
    """

    script: str
    name: str
    lines: Sequence[Mapping[str, Any]] = ()
    options: Mapping[str, Any] = field(default_factory=dict)
    members: Sequence[str | None] = ()
    reads: Sequence[str] = ()

    def files(self) -> list[str]:
        """Return the files and folders that the job reads, each once, in the order of their mention."""
        named = (value for part in (self.options, *self.lines) for value in part.values())
        flat = (one for value in named for one in (value if isinstance(value, (list, tuple)) else [value]))
        marked = [one.made_by for one in flat if isinstance(one, In)]
        return list(dict.fromkeys([*self.reads, *marked]))

    def inputs(self, w: Workflow) -> dict[str, Any]:
        """Return the inputs of the job's rule: `files`, `cells` (the plan, where there are lines) and `code`."""
        plan = {"cells": w.plan_file(self.name)} if self.lines else {}
        return {"files": self.files(), **plan, "code": files_of(self.script, *self.members)}

    def words(self) -> str:
        """Return the options as words of the command line, quoted for the shell."""
        return options(self.options)


class Jobs(dict[str, Job]):
    """The jobs of a configuration by name."""

    def __init__(self, jobs: Iterable[Job]):
        super().__init__()
        for job in jobs:
            if self.setdefault(job.name, job) != job:
                raise AssertionError(f"two jobs are named {job.name}")

    def __missing__(self, name: str) -> Job:
        """Raise ConfigError: a target asks for what this configuration has not."""
        raise ConfigError(f"{name}: no job of this configuration makes that")

    def with_lines(self) -> Iterator[Job]:
        """Yield the jobs that have a plan."""
        return (job for job in self.values() if job.lines)
