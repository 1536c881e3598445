"""What is said to somebody who points at a number, a claim or a file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath
from typing import Any

import pandas as pd

from crosslingua.cells import read_cells
from crosslingua.errors import ConfigError, InputError
from crosslingua.io.json import read_json
from crosslingua.names import did_you_mean
from crosslingua.trace.chain import chain
from crosslingua.trace.numbers import NAMED, choose, results_of, rows_files, with_lines
from crosslingua.trace.records import Records

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
        raise InputError(
            file, "no line of a plan leads to it", remedy="the plan was written anew: run the workflow"
        )
    answers = []
    for (title, number), own in found.groupby(["title", "seed"], sort=False):
        lines = {plan: set(lines) for plan, lines in own.groupby("plan")["line"]}
        without = set(behind) - set(own["file"])
        says = own[SAID].to_dict("records")
        scores = sorted({path for paths in own["scores"] for path in paths if path})
        answers.append(
            {"title": f"{title}, seed {number}", "says": says, "scores": scores}
            | {"steps": chain(records, file if is_table else own["file"].iloc[0], lines, without)}
        )
    return answers


def judged(records: Records, file: str) -> list[dict[str, Any]]:
    """Return the verdicts that lie in JSON beside a file of claims."""
    return read_json((records.root / file).with_suffix(".json"))["judged"]


def of_claim(records: Records, file: str, name: str) -> Answer:
    """Return the answer for a claim: the cells of the systems that its decisive comparison names; else all.

    Raises ConfigError for a claim that was not judged.
    """
    found = {claim["claim"]: claim for claim in judged(records, file)}
    if name not in found:
        raise ConfigError(f"no claim {name!r}{did_you_mean(name, found)} (without --claim all are listed)")
    decisive, results = found[name]["decisive"], results_of(file)
    says = {key: found[name][key] for key in VERDICT} | {
        "by": f"{decisive['comparison']} ({decisive['pair']})"
    }
    brief = records.root / results / f"plans/claims/{says['paper']}.json"
    systems = {system.partition("@")[0] for system in decisive["comparison"].split(" - ")}
    lines = {}
    for plan in read_json(brief)["cells"] if brief.is_file() else ():
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
        raise InputError(file, "no such file")
    if not records.folder.is_dir():
        raise InputError(
            file, "nothing is recorded of it", remedy=f"it was made elsewhere: no {records.folder}"
        )
    raise InputError(file, "no job made it", remedy="it is given, or was made elsewhere")


def holds(file: str) -> str:
    """Return what can be chosen of a file: "numbers", "claims", or nothing."""
    path = PurePath(file)
    if path.parent.name in ("tables", "rows") or path.name == "metrics.csv":
        return "numbers"
    return "claims" if path.parent.name == "claims" or path.stem == "claims" else ""
