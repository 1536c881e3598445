"""A chain as an indented tree: a job a node, under one that reads what it made, short branches first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from itertools import groupby
from typing import Any

from crosslingua.trace.chain import CODE, Step
from crosslingua.trace.records import Records

COSTS = {"s": "{:.1f} s", "cpu_time": "{:.1f} s of processor time", "max_rss": "{:.0f} MB"}
NAMES = 8  # files to list before the rest is counted
Steps = Mapping[tuple, Step]


def facts(step: Step, records: Records) -> dict[str, Any]:
    """Return what is known of a step, for JSON."""
    job = step.job
    return {
        "rule": job["rule"],
        "files": step.files,
        "command": job["shellcmd"],
        "plan": {f"{plan}:{number}": _settings(words) for (plan, number), words in step.lines.items()},
        "lines_in_plan": step.planned,
        "started": datetime.fromtimestamp(job["starttime"]).isoformat(" ", "minutes"),
        "cost": records.cost(job),
        "log": job["log"],
        "code": [name for name in job["input"] if name.startswith(CODE)],
        "inputs": list(step.inputs),
        "given": [name for name, maker in step.inputs.items() if maker is None],
        "changed_since": records.changed(job),
    }


def _settings(words: Iterable[tuple[str, str, str]]) -> str:
    """Return what a line says besides files: `seed 1, set pos.epochs=2 pos.batch_size=16`."""
    said = groupby((word for word in words if "/" not in word[2]), key=lambda word: word[0])
    texts = ((column, (f"{key}={value}" if key else value for _, key, value in own)) for column, own in said)
    return ", ".join(f"{column} {' '.join(own)}" for column, own in texts)


def tree_of(steps: Steps, everything: bool) -> tuple[dict[tuple | None, list[tuple]], set[tuple]]:
    """Return the steps under each (None: the first's), and those to show: of one rule in one place only the first.

    A step stands once, as deep as one that reads it is shown. Not in the tree is what only steps not shown read.
    """
    readers = {key: [one for one, step in steps.items() if key in step.inputs.values()] for key in steps}
    depths = dict.fromkeys(steps, 0)
    for _ in steps:  # no path is longer
        depths |= {key: 1 + max(depths[one] for one in above) for key, above in readers.items() if above}
    tree: dict[tuple | None, list[tuple]] = {}
    shown: set[tuple] = set()
    for key in sorted(steps, key=depths.__getitem__):
        above = max((one for one in readers[key] if one in shown), key=depths.__getitem__, default=None)
        if above or not readers[key]:
            beside = tree.setdefault(above, [])
            if everything or key[0] not in {one[0] for one in beside}:
                shown.add(key)
            beside.append(key)
    return tree, shown


def tree_lines(
    steps: Steps, records: Records, *, everything: bool = False, code: bool = False
) -> Iterator[str]:
    """Yield the tree's lines: `everything` shows what else is alike too, `code` lists the modules."""
    tree, shown = tree_of(steps, everything)

    def height(key: tuple) -> int:
        return 1 + max(map(height, tree.get(key, ())), default=0)

    def walk(above: tuple | None, indent: str) -> Iterator[str]:
        below = tree.get(above, [])
        for key in sorted(shown.intersection(below), key=lambda key: (height(key), below.index(key))):
            yield f"{indent}{key[0]}: {_list(steps[key].files)}"
            yield from (f"{indent}  | {line}" for line in _about(facts(steps[key], records), code))
            yield from walk(key, indent + "  ")
            alike = [one for one in below if one[0] == key[0] and one not in shown]
            if alike:
                files = [file for one in alike for file in steps[one].files]
                yield f"{indent}{key[0]}, {len(alike)} more of its kind (--all): {_list(files)}"

    yield from walk(None, "")


def _about(found: Mapping[str, Any], code: bool) -> Iterator[str]:
    yield found["command"]
    if 1 < len(found["plan"]) == found["lines_in_plan"]:
        yield f"all {found['lines_in_plan']} lines of {next(iter(found['plan'])).rpartition(':')[0]}"
    else:
        yield from (f"{line}  {settings}".rstrip() for line, settings in found["plan"].items())
    cost = [text.format(found["cost"][name]) for name, text in COSTS.items() if name in found["cost"]]
    yield "; ".join([found["started"], ", ".join(cost) or "cost not known", *found["log"]])
    script, *modules = sorted(found["code"]) or ["none of the project's"]
    yield f"code: {script} and {len(modules)} modules"
    yield from (f"  {name}" for name in (modules if code else ()))
    yield "reads: " + _list(
        [f"{name} (given)" if name in found["given"] else name for name in found["inputs"]]
    )
    if found["changed_since"]:
        yield f"changed since: {_list(found['changed_since'])}"


def _list(names: list[str]) -> str:
    more = f" and {len(names) - NAMES} more" if len(names) > NAMES else ""
    return (", ".join(names[:NAMES]) or "nothing") + more
