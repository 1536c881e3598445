"""A chain as an indented tree: a job a node, short branches first; and what the numbers of a row say."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import groupby
from pathlib import PurePath
from typing import Any

import numpy as np
import pandas as pd

from crosslingua.cells import read_cells
from crosslingua.claims.files import JUDGE
from crosslingua.errors import ConfigError, InputError, did_you_mean
from crosslingua.io.json import read_json
from crosslingua.metrics import read_rows
from crosslingua.report.tables import Table
from crosslingua.trace.chain import CODE, Records, Step, cells_of, chain

COSTS = {"s": "{:.1f} s", "cpu_time": "{:.1f} s of processor time", "max_rss": "{:.0f} MB"}
NAMES = 8  # files to list before the rest is counted
Steps = Mapping[tuple, Step]


def facts(step: Step, records: Records) -> dict[str, Any]:
    """Return the facts of a step, for JSON."""
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
    """Return the settings of a line: `seed 1, set pos.epochs=2 pos.batch_size=16`."""
    said = groupby((word for word in words if "/" not in word[2]), key=lambda word: word[0])
    texts = ((column, (f"{key}={value}" if key else value for _, key, value in own)) for column, own in said)
    return ", ".join(f"{column} {' '.join(own)}" for column, own in texts)


def tree_of(steps: Steps, everything: bool) -> tuple[dict[tuple | None, list[tuple]], set[tuple]]:
    """Return the steps under each (None: the first's), as deep as possible, and the steps to show: one of a rule."""
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
            if alike := [one for one in below if one[0] == key[0] and one not in shown]:
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
    inputs = [f"{name} (given)" if name in found["given"] else name for name in found["inputs"]]
    yield f"reads: {_list(inputs)}"
    if found["changed_since"]:
        yield f"changed since: {_list(found['changed_since'])}"


def _list(names: list[str]) -> str:
    more = f" and {len(names) - NAMES} more" if len(names) > NAMES else ""
    return (", ".join(names[:NAMES]) or "nothing") + more


MARK, NEAR = 1e-4, 1e-11  # the most that a mark is off; the most that a difference of means is off it
DATA = ["paper", "table", "system", "task", "source", "target"]
NAMED = ["table", "system", "task", "source", "target", "metric", "seed"]  # systems are called as papers are


def numbers(records: Records, file: str, paper: str = "", table: Table | None = None) -> pd.DataFrame:
    """Return the rows of a file, or the rows of `table`, each with `file` and `place`. InputError without.

    `place` are the notes, systems and columns of the grids that have it; () of what shows as means only.
    """
    files = rows_files(records, file, paper)
    if not files:
        raise InputError(file, "there are no metrics rows beside it")
    own = [read_rows(records.root / name).assign(file=name) for name in files]
    rows = pd.concat(own, ignore_index=True)
    found = places(rows[rows["paper"] == paper], table) if table else {}
    shown = rows.loc[sorted(found)] if found else rows
    return shown.assign(place=[tuple(found.get(row, ())) for row in shown.index])


def rows_files(records: Records, file: str, paper: str = "") -> list[str]:
    """Return the files of rows that a table's job read; of any other file, or one made elsewhere, all of the paper."""
    folder = results_of(file) / "rows"
    if PurePath(file).parent.name == "rows":
        return [file]
    job = records.job(file) if PurePath(file).parent.name == "tables" else None
    read = [name for name in job["input"] if PurePath(name).parent == folder] if job else []
    there = sorted((records.root / folder).glob(f"{paper or '*'}.*.csv"))
    return read or [f"{folder}/{path.name}" for path in there]


def results_of(file: str) -> PurePath:
    """Return the folder of results that a file lies in, or in a folder of."""
    folder = PurePath(file).parent
    return folder.parent if folder.name in ("tables", "rows", "claims") else folder


def places(rows: pd.DataFrame, table: Table) -> dict[int, list[str]]:
    """Return where `table` shows each row: the table is made again of marked values, a seed at a time.

    A mean over seeds moves by its share of one row's mark, other means by no row's. Marks are hardly off the value,
    since tables judge by some of them what they show.
    """
    found: dict[int, list[str]] = {}
    shown, random = {grid.note: grid.cells for grid in table.grids(rows, {})}, np.random.default_rng(0)
    for seed in rows["seed"].unique():
        own = rows.index[rows["seed"] == seed]
        marks = MARK * random.random(len(own))
        values = rows["value"].add(pd.Series(marks, own), fill_value=0.0)
        for grid in table.grids(rows.assign(value=values), {}):
            before = shown.get(grid.note, grid.cells)  # of equal values that are marked some tables show more
            moved = (grid.cells["mean"] - before["mean"]) * before["seeds"]
            for place, mark in moved.dropna().items():
                if abs(marks - mark).min() < NEAR:
                    found.setdefault(own[abs(marks - mark).argmin()], []).extend((grid.note, *place))
    return found


def choose(rows: pd.DataFrame, words: Sequence[str]) -> pd.DataFrame:
    """Return the rows that all `words` name, of columns, signature or place; ConfigError where there are none."""
    known = [Counter(word.casefold() for word in _words(row)) for _, row in rows.iterrows()]
    asked = Counter(word.strip(" .").casefold() for word in words if word.strip())
    legal = set().union(*known)
    for word in asked:
        if word not in legal:
            raise ConfigError(f"no number is called {word!r}{did_you_mean(word, sorted(legal))}")
    found = rows[[asked <= names for names in known]]
    if found.empty:
        raise ConfigError(f"no number is called all of {', '.join(asked)}: without --cell all are listed")
    return found


def _words(row: pd.Series) -> list[str]:
    said = [*(f"{name}={row[name]}" for name in ("paper", *NAMED)), *row["signature"].split("|")]
    parts = [part.strip(" .") for label in row["place"] for part in label.split(",")]
    return [*said, *(word.rpartition("=")[2] for word in said[1:]), *parts]


def with_lines(rows: pd.DataFrame, records: Records, results: PurePath) -> pd.DataFrame:
    """Return a line for each row and cell that it comes from, with `plan`, `line` and `scores`, and a `title`."""
    names = {f"{results}/plans/cells/{PurePath(name).name}" for name in rows["file"]}
    cells = pd.DataFrame(
        {name: getattr(cell, name) for name in (*DATA, "seed")}
        | {"metric": metric.partition("=")[0], "plan": plan, "line": line, "scores": [cell.score, cell.less]}
        | {"said": [f"{name}={value}" for name, value in cell.conditions.items()], "where": cell.where}
        for plan in sorted(names)
        for line, cell in enumerate(read_cells(records.root / plan), start=2)
        for metric in cell.metrics
    )
    found = rows.reset_index().merge(cells, on=[*DATA, "seed", "metric"])
    whole = [
        {*said, *filter(None, [where])} <= set(signature.split("|"))
        for said, where, signature in zip(found["said"], found["where"], found["signature"], strict=True)
    ]
    found = found[whole]
    titles = [",".join([*row[DATA[1:]], *row["said"]]) for _, row in found.iterrows()]
    return found.assign(title=titles)


SAID = ["value", "metric", "signature", "n", "config_hash", "code_version", "place"]
VERDICT = ("paper", "verdict", "effect", "ci_low", "ci_high", "statement")
Answer = dict[str, Any]  # title; says, a line of facts each; steps, the chain


def listed(rows: pd.DataFrame) -> list[dict[str, Any]]:
    """Return words, mean over seeds, place and signature of each number; the words are of columns that differ."""
    names = NAMED[1:-1] if rows["place"].iloc[0] else NAMED[:-1]  # in a table, the table goes without saying
    columns = [name for name in names if rows[name].nunique() > 1]
    firsts = rows.groupby([*NAMED[:-1], "signature"], sort=False).agg({"value": "mean", "place": "first"})
    found = firsts.rename(columns={"value": "mean"}).reset_index()
    words = found[columns].agg(",".join, axis=1) if columns else found["system"]
    return found.assign(words=words)[["words", "mean", "place", "signature"]].to_dict("records")


def of_number(
    records: Records, file: str, rows: pd.DataFrame, words: Sequence[str], seed: int | None
) -> list[Answer]:
    """Return an answer for each system, data and seed that `words` name. ConfigError where they name none."""
    chosen = choose(rows, words)
    seeds = sorted(chosen["seed"].unique())
    if seed is not None and seed not in seeds:
        raise ConfigError(f"no seed {seed}: there are {', '.join(map(str, seeds))}")
    chosen = chosen[chosen["seed"].isin(seeds if seed is None else [seed])]
    is_table, behind = PurePath(file).parent.name == "tables", rows_files(records, file)
    found = with_lines(chosen, records, results_of(file))
    if found.empty:
        remedy = "the plan has changed: run the workflow"
        raise InputError(file, "no line of a plan makes this number", remedy=remedy)
    answers = []
    for (title, number), own in found.groupby(["title", "seed"], sort=False):
        lines = {plan: set(lines) for plan, lines in own.groupby("plan")["line"]}
        without = set(behind) - set(own["file"])
        steps = chain(records, file if is_table else own["file"].iloc[0], lines, without)
        says = own[SAID].to_dict("records")
        scores = sorted({path for paths in own["scores"] for path in paths if path})
        answers.append({"title": f"{title}, seed {number}", "says": says, "scores": scores, "steps": steps})
    return answers


def judged(records: Records, file: str) -> list[dict[str, Any]]:
    """Return the verdicts that lie in JSON beside a file of claims."""
    path = (records.root / file).with_suffix(".json")
    claims = read_json(path, dict)["judged"]
    if not isinstance(claims, list) or not all(isinstance(claim, dict) for claim in claims):
        raise InputError(path, "judged holds no claims", remedy=JUDGE)
    return claims


def of_claim(records: Records, file: str, name: str) -> Answer:
    """Return the cells of a claim's decisive comparison, else all. ConfigError if it was not judged."""
    found = {claim["claim"]: claim for claim in judged(records, file)}
    if name not in found:
        raise ConfigError(f"no claim {name!r}{did_you_mean(name, found)} (without --claim all are listed)")
    decisive, results = found[name]["decisive"], results_of(file)
    words = [decisive[key] for key in ("comparison", "pair")] if isinstance(decisive, dict) else [None]
    if not all(isinstance(word, str) for word in words):
        place = (records.root / file).with_suffix(".json")
        raise InputError(place, f"{name} has no decisive comparison", remedy=JUDGE)
    says = {key: found[name][key] for key in VERDICT}
    says["by"] = f"{decisive['comparison']} ({decisive['pair']})"
    brief = records.root / results / f"plans/claims/{says['paper']}.json"
    systems = {system.partition("@")[0] for system in decisive["comparison"].split(" - ")}
    lines = {}
    for plan in cells_of(brief) if brief.is_file() else ():
        cells = dict(enumerate(read_cells(records.root / plan), start=2))
        lines[plan] = [n for n, cell in cells.items() if cell.system in systems] or list(cells)
    made = f"{results}/claims/{says['paper']}.csv"  # claims.csv may be merged by a run that judged others
    return {"title": name, "says": [says], "steps": chain(records, made, lines)}


def of_file(records: Records, file: str) -> Answer:
    """Return the answer for a file that a job made. Raises InputError for any other."""
    steps = chain(records, file)
    if steps:
        return {"title": file, "says": [], "steps": steps}
    if not (records.root / file).exists():
        raise InputError(file, "no such file", remedy="name a table or file of results")
    if not records.folder.is_dir():
        remedy = f"trace it where it was made: there is no {records.folder} here"
        raise InputError(file, "has no record", remedy=remedy)
    raise InputError(file, "no job made this file", remedy="it is an input, or was made elsewhere")


def holds(file: str) -> str:
    """Return what can be chosen of a file: "numbers", "claims", or nothing."""
    path = PurePath(file)
    if path.parent.name in ("tables", "rows") or path.name == "metrics.csv":
        return "numbers"
    return "claims" if path.parent.name == "claims" or path.stem == "claims" else ""
