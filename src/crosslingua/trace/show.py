"""An answer as text: what was asked for, then the jobs as an indented tree, and as JSON."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from crosslingua.trace.answer import Answer
from crosslingua.trace.chain import Chain, Step
from crosslingua.trace.records import Records

NAMES = 8  # files to list before the rest is counted
COSTS = {"s": "{:.1f} s", "cpu_time": "{:.1f} s of processor time", "max_rss": "{:.0f} MB"}
Tree = Mapping[tuple | None, Sequence[tuple]]


def as_json(answer: Answer, records: Records) -> dict[str, Any]:
    """Return an answer with all that is known of its jobs, nearest first."""
    jobs = [facts(step, records) for step in answer.steps.values()]
    names = ("title", "says", "scores", "others")
    return {name: getattr(answer, name) for name in names} | {"jobs": jobs}


def as_text(answer: Answer, records: Records, *, everything: bool = False, code: bool = False) -> Iterator[str]:
    """Yield an answer's lines. Of jobs side by side of one rule the first is shown, the others are named.

    `everything` shows them too; `code` lists scripts and modules.
    """
    yield answer.title
    for said in answer.says:
        yield "  " + ", ".join(f"{name} {value}" for name, value in said.items() if value != "")
    if not answer.steps:
        yield f"No job is recorded in {records.folder}: it was made elsewhere. Read from: {_list(answer.scores)}"
        return
    yield ""
    yield from tree_lines(answer.steps, records, everything=everything, code=code)
    yield ""
    costs = [records.cost(step.job) for step in answer.steps.values()]
    minutes = sum(cost.get("cpu_time", 0.0) for cost in costs) / 60
    yield f"{len(costs)} jobs, {minutes:.1f} minutes of processor time for all that they made."
    if answer.others:
        yield f"The same words name {len(answer.others)} more (--all): {_list(answer.others)}"


def facts(step: Step, records: Records) -> dict[str, Any]:
    """Return what is known of a step."""
    lines: dict[tuple[str, str], list[int]] = defaultdict(list)
    for line in step.lines.values():
        lines[line.path, line.settings(step.files)].append(line.number)
    return {
        "rule": step.job.rule,
        "files": step.files,
        "command": step.job.command,
        "plan": [{"file": plan, "lines": n, "settings": text} for (plan, text), n in lines.items()],
        "lines_in_plan": step.planned,
        "started": datetime.fromtimestamp(step.job.started).isoformat(" ", "minutes"),
        "cost": records.cost(step.job),
        "log": step.job.log,
        "code": step.job.code,
        "inputs": list(step.inputs),
        "not_made_by_a_job": [name for name, job in step.inputs.items() if job is None],
        "changed_since": sorted(records.changed(step.job)),
    }


def tree_of(steps: Chain) -> Tree:
    """Return the steps under each step, None being above the first: each once, as deep as it is needed."""
    depths = dict.fromkeys(steps, 0)
    below = {key: {job.key for job in step.inputs.values() if job} for key, step in steps.items()}
    for _ in steps:  # no path is longer
        for key, others in below.items():
            for other in others:
                depths[other] = max(depths[other], depths[key] + 1)
    tree: dict[tuple | None, list[tuple]] = defaultdict(list)
    for key in steps:
        above = (one for one, others in below.items() if key in others and depths[one] == depths[key] - 1)
        tree[next(above, None)].append(key)
    return tree


def tree_lines(steps: Chain, records: Records, *, everything: bool, code: bool) -> Iterator[str]:
    """Yield the tree's lines, short branches first."""
    tree = tree_of(steps)

    def height(key: tuple) -> int:
        return 1 + max(map(height, tree.get(key, ())), default=0)

    def walk(above: tuple | None, indent: str) -> Iterator[str]:
        rules: dict[str, list[tuple]] = defaultdict(list)
        for key in sorted(tree.get(above, ()), key=height):
            rules[steps[key].job.rule].append(key)
        for rule, keys in rules.items():
            shown = len(keys) if everything else 1
            for key in keys[:shown]:
                yield f"{indent}{rule}: {_list(steps[key].files)}"
                yield from (f"{indent}  | {line}" for line in _about(facts(steps[key], records), code))
                yield from walk(key, indent + "  ")
            if alike := [file for key in keys[shown:] for file in steps[key].files]:
                yield f"{indent}{rule}, {len(keys) - shown} more like it (--all): {_list(alike)}"

    yield from walk(None, "")


def _about(found: Mapping[str, Any], code: bool) -> Iterator[str]:
    yield found["command"]
    yield from _planned(found)
    cost = [text.format(found["cost"][name]) for name, text in COSTS.items() if name in found["cost"]]
    yield f"{found['started']}; {', '.join(cost) or 'cost not known'}; log {found['log']}"
    script, *modules = found["code"] or ["none of the project"]
    yield f"code: {script} and {len(modules)} modules"
    if code:
        yield from (f"  {name}" for name in modules)
    given = set(found["not_made_by_a_job"])
    yield f"reads: {_list([f'{name} (made by no job)' if name in given else name for name in found['inputs']])}"
    if changed := found["changed_since"]:
        yield f"changed since: {_list(changed)}"


def _planned(found: Mapping[str, Any]) -> Iterator[str]:
    lines = sum(len(part["lines"]) for part in found["plan"])
    if lines > 1 and lines == found["lines_in_plan"]:
        yield f"all {lines} lines of {', '.join(dict.fromkeys(part['file'] for part in found['plan']))}"
        return
    for part in found["plan"]:
        place = f"{part['file']}:{','.join(map(str, part['lines']))}"
        yield f"{place}  {part['settings']}".rstrip()


def _list(names: Sequence[str]) -> str:
    more = f" and {len(names) - NAMES} more" if len(names) > NAMES else ""
    return (", ".join(names[:NAMES]) or "nothing") + more
