"""The jobs behind a file, each once: from the file back to what no job made."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import cache

from crosslingua.trace.plan import Planned, named_inputs, plans_of, read_lines
from crosslingua.trace.records import Recorded, Records


@dataclass
class Step:
    """A job, with what is wanted of it: `files` that it made, the `lines` of its plan that made them, what these read.

    `planned` is the number of lines that its plan has in all.
    """

    job: Recorded
    files: list[str] = field(default_factory=list)
    lines: dict[tuple[str, int], Planned] = field(default_factory=dict)
    planned: int = 0
    inputs: dict[str, Recorded | None] = field(default_factory=dict)


Chain = dict[tuple, Step]
Only = Mapping[str, Collection[int]]


def chain(records: Records, file: str, only: Only | None = None, without: Collection[str] = ()) -> Chain:
    """Return the steps behind `file`, by their jobs' keys, nearest first; empty where no job made it.

    `only` are the lines that count of the plans that it names, `without` are inputs that do not.
    """
    find, read = cache(records.job), cache(lambda name: read_lines(records.root, name))
    steps: Chain = {}
    waiting = [file]
    for wanted in waiting:  # which grows
        job = find(wanted)
        if job is None:
            continue
        step = steps.setdefault(job.key, Step(job))
        if wanted in step.files:
            continue
        step.files.append(wanted)
        plans = plans_of(job.command, records.root)
        every = [line for name in plans for line in read(name)]
        lines = _lines(every, wanted, only or {})
        step.planned = len(every)
        step.lines |= {(line.path, line.number): line for line in lines}
        data = [name for name in job.inputs if name not in {*job.code, *plans, *without}]
        others = {name for line in every for name in line.files()}
        found = named_inputs(data, {name for line in lines for name in line.files([wanted])}, others)
        step.inputs |= {name: find(name) for name in found}
        waiting += found
    return steps


def _lines(every: list[Planned], file: str, only: Only) -> list[Planned]:
    """Return the lines that made a file; all of them where they do not tell."""
    chosen = [line for line in every if line.path in only]
    if chosen:
        return [line for line in chosen if line.number in only[line.path]]
    return [line for line in every if line.makes(file)] or every
