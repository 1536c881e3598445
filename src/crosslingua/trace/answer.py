"""What to answer somebody who points at a number, a claim or a file: what it says, and the jobs behind it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Any

import pandas as pd

from crosslingua.cells import Cell, read_cells
from crosslingua.errors import ConfigError, InputError
from crosslingua.io.json import read_json
from crosslingua.metrics import read_rows
from crosslingua.names import did_you_mean
from crosslingua.report.tables import Table
from crosslingua.trace.cells import Labels, choose, labels_of, short_words, sources
from crosslingua.trace.chain import Chain, chain
from crosslingua.trace.records import Records


@dataclass(frozen=True)
class Answer:
    """What was asked for (`title`), what it says (`says`, by name), the scores it was read from, and the jobs.

    `others` name what was chosen by the same words and is not shown.
    """

    title: str
    steps: Chain
    says: Sequence[dict[str, Any]] = ()
    scores: Sequence[str] = ()
    others: Sequence[str] = field(default=())


@dataclass(frozen=True)
class Numbers:
    """The metrics rows that a table or a file of rows is made of, and the files and plans they lie in."""

    file: str
    files: Sequence[str]
    rows: pd.DataFrame
    labels: Labels

    @property
    def plans(self) -> dict[str, str]:
        """The plan of cells of each file of rows."""
        return {file: f"{_results(file)}/plans/cells/{PurePath(file).name}" for file in self.files}


def holds_numbers(file: str) -> bool:
    """Whether a file of results is a table or metrics rows."""
    return PurePath(file).parent.name in ("tables", "rows") or PurePath(file).name == "metrics.csv"


def holds_claims(file: str) -> bool:
    """Whether a file of results has the verdicts of claims."""
    return PurePath(file).parent.name == "claims" or PurePath(file).stem == "claims"


def numbers(records: Records, file: str, paper: str = "", table: Table | None = None) -> Numbers:
    """Return the rows of a file: those that `table` of `paper` shows; all where it is no table."""
    files = _rows_files(records, file, paper)
    if not files:
        raise InputError(file, "no metrics rows beside it", remedy="they are made into results/SCALE/rows")
    rows = read_rows([records.root / name for name in files])
    if table is None:
        return Numbers(file, files, rows, {})
    labels = labels_of(rows[rows["paper"] == paper], table)
    return Numbers(file, files, rows.loc[sorted(labels)], labels)


def listed(found: Numbers) -> list[tuple[str, float, str]]:
    """Return each number, over seeds: the words that choose it, the mean, and where the table has it."""
    words = pd.Series(short_words(found.rows), found.rows.index)
    groups = found.rows["value"].groupby(words, sort=False)
    return [(name, own.mean(), _place(found.labels, own.index[0])) for name, own in groups]


def of_number(records: Records, found: Numbers, words: Sequence[str], seed: int | None) -> list[Answer]:
    """Return an answer for each system, data and seed that `words` name. Raises ConfigError where they name none."""
    rows = choose(found.rows, words, found.labels)
    seeds = sorted(rows["seed"].unique())
    if seed is not None and seed not in seeds:
        raise ConfigError(f"no seed {seed}: there are {', '.join(map(str, seeds))}")
    plans = {file: plan for file, plan in found.plans.items() if (records.root / plan).is_file()}
    groups = sources(rows[rows["seed"] == seed] if seed is not None else rows, records.root, list(plans.values()))
    answers = []
    for one in (one for group in groups.values() for one in group):
        without = [file for file, plan in plans.items() if plan not in one.lines]
        steps = chain(records, found.file, one.lines, without)
        says = [_said(row) | {"place": _place(found.labels, i)} for i, row in one.rows.iterrows()]
        scores = dict.fromkeys(file for cell in one.cells for file in (cell.score, cell.less) if file)
        answers.append(Answer(f"{one.name}, seed {one.rows['seed'].iloc[0]}", steps, says, list(scores)))
    return answers


def claims(records: Records, file: str) -> list[dict[str, Any]]:
    """Return what was judged: of `claims.csv` or a paper's. Raises InputError where that is not told beside it."""
    judged = read_json((records.root / file).with_suffix(".json"))
    return judged["judged"] if isinstance(judged, dict) else judged


def of_claim(records: Records, file: str, name: str) -> Answer:
    """Return the answer for a claim: what its decisive comparison was read from.

    Raises ConfigError for a claim that was not judged.
    """
    found = {claim["claim"]: claim for claim in claims(records, file)}
    if name not in found:
        raise ConfigError(f"no claim {name!r}{did_you_mean(name, found)}; without --claim all are listed")
    claim = found[name]
    results = _results(file)
    plan = records.root / results / f"plans/claims/{claim['paper']}.json"
    plans = read_json(plan)["cells"] if plan.is_file() else []
    lines = {path: _compared(read_cells(records.root / path), claim["decisive"]) for path in plans}
    job = records.job(file)
    others = [one for one in (job.inputs if job else ()) if _of_another(one, f"{results}/claims", claim["paper"])]
    says = {name: claim[name] for name in ("statement", "verdict", "effect", "ci_low", "ci_high", "decisive")}
    return Answer(name, chain(records, file, lines, others), [says])


def of_file(records: Records, file: str) -> Answer:
    """Return the answer for a file that a job made. Raises InputError for another, and where nothing is recorded."""
    steps = chain(records, file)
    if steps:
        return Answer(file, steps)
    if not records.folder.is_dir():
        raise InputError(file, "nothing is recorded of it", remedy=f"it was made elsewhere: no {records.folder}")
    if not (records.root / file).exists():
        raise InputError(file, f"no such file{did_you_mean(file, records.files)}")
    raise InputError(file, "no job made it", remedy="it is given, or was made elsewhere")


def _rows_files(records: Records, file: str, paper: str) -> list[str]:
    if PurePath(file).parent.name == "rows":
        return [file]
    job, folder = records.job(file), f"{_results(file)}/rows"
    recorded = [name for name in job.inputs if name.startswith(f"{folder}/")] if job else []
    there = sorted((records.root / folder).glob(f"{paper or '*'}.*.csv"))
    return recorded or [f"{folder}/{path.name}" for path in there]


def _results(file: str) -> PurePath:
    """Return the folder of a scale's results, of a file in it or in a folder of it."""
    folder = PurePath(file).parent
    return folder.parent if folder.name in ("tables", "rows", "claims") else folder


def _of_another(file: str, folder: str, paper: str) -> bool:
    return file.startswith(f"{folder}/") and PurePath(file).stem != paper


def _place(labels: Labels, row: int) -> str:
    return " | ".join(labels.get(row, ()))


def _said(row: pd.Series) -> dict[str, Any]:
    wanted = ("metric", "value", "n", "signature", "config_hash", "code_version")
    return {name: row[name] for name in wanted}


def _compared(cells: Sequence[Cell], comparison: dict[str, Any]) -> list[int]:
    """Return the lines of the cells that a comparison is about: `a - b` on `en-de.muse`; all where that does not tell."""
    systems = {name.partition("@")[0] for name in comparison["comparison"].split(" - ")}
    data = set(re.split("[-.]", comparison["pair"]))
    chosen = {number: cell for number, cell in enumerate(cells, start=2) if cell.system in systems}
    about = [number for number, cell in chosen.items() if data <= _data(cell)]
    return about or list(chosen) or list(range(2, len(cells) + 2))


def _data(cell: Cell) -> set[str]:
    return {cell.source, cell.target, cell.task, *cell.conditions.values()}
