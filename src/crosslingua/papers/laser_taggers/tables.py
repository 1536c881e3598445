"""Tables 2 and 3: transfer and monolingual training, and joint training, ours beside the published figures."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

import pandas as pd

from crosslingua.metrics import conditions
from crosslingua.report.tables import Grid, Published, Table, grid

TASKS = {"ner": "NER", "pos": "POS"}
SOURCE, ZERO_SHOT, MONOLINGUAL = "source", "zero_shot", "monolingual"
SCENARIO_A, CHANGE = "scenario_a", "change"
CONTROLS = ("random", "majority")
ALPHA = 0.05  # of the sign test
NOT_RANKED = "not ranked, controls and mappings of vectors that found nothing."
FAILED = 5.0  # P@1 in percent, below which a mapping of vectors found nothing
PUBLISHED = (
    "In parentheses: the paper's figure for the language of that name, whose data at other scales than paper may be "
    "others (docs/laser_taggers.md)."
)
CAPTION2 = (
    "Percent, mean ± standard deviation over seeds: F1 of entities (strict) for NER, accuracy, which is the micro F1 "
    "of tags, for POS. The first column is the language of training; then zero-shot transfer from it; alone: trained "
    "on the language itself, which is the upper line of transfer. Words are in lower case. The best of a column is "
    "bold. Controls: random (a vector of its own for every word) and majority (the most frequent tag). "
    + PUBLISHED
)
CAPTION3 = (
    "Joint training, in percent as in table 2: A, trained on a quarter of each language; B less A, what is gained "
    "(points) by all of the first language in place of its quarter. " + PUBLISHED
)


def failed_mappings(rows: pd.DataFrame) -> dict[tuple[str, str], float]:
    """Return, by system and target, the mean P@1 of mapped vectors that found nothing: below 5 percent.

    P@1 is by CSLS under MUSE's rule for out-of-vocabulary words: joint_align's credits words that are spelled alike.
    """
    own = rows[(rows["task"] == "bli") & (rows["metric"] == "p_at_1")]
    chosen = [
        one.startswith("csls") and conditions(one).get("oov") == "muse"
        for one in own["signature"].astype(str)
    ]
    means = own[chosen].groupby(["system", "target"])["value"].mean()
    return {key: float(value) for key, value in means.items() if value < FAILED}


def not_significant(rows: pd.DataFrame) -> list[str]:
    """Return `task target: system` of every result that the sign test does not tell from LASER-top in some run."""
    own = rows[(rows["metric"] == "p_value") & ~rows["system"].isin(CONTROLS)]
    worst = own.groupby(["task", "target", "system"], sort=False)["value"].max()
    return [f"{TASKS[task]} {target}: {name}" for (task, target, name), p in worst.items() if p >= ALPHA]


def warning(rows: pd.DataFrame) -> str:
    """Return what to beware of: mappings that failed, results that may be chance, a control that is as good."""
    parts = [
        f"The mapping of {system} to {target} found nothing (P@1 {value:.1f} %): its result is not ranked."
        for (system, target), value in failed_mappings(rows).items()
    ]
    if alike := not_significant(rows):
        parts.append(
            f"Not told from laser_top by a sign test over sentences at {ALPHA} in every run: {'; '.join(alike)}."
        )
    return " ".join([*parts, *controls_passed(rows)])


def controls_passed(rows: pd.DataFrame) -> list[str]:
    """Return a sentence for every task and target where systems transfer no better than random vectors do."""
    own = rows[rows["metric"] == ZERO_SHOT]
    means = own.groupby(["task", "target", "system"], sort=False)["value"].mean()
    found = []
    for (task, target), scores in means.groupby(level=["task", "target"], sort=False):
        scores = scores.droplevel(["task", "target"])
        floor = scores.reindex(CONTROLS).max()
        weak = [name for name in scores.index if name not in CONTROLS and scores[name] <= floor]
        if weak:
            found.append(f"{TASKS[task]} {target}: no better than a control: {', '.join(weak)}.")
    return found


def _grids2(rows: pd.DataFrame, published: Published) -> Iterator[Grid]:
    for task, name in TASKS.items():
        columns = _columns(rows, task)
        values = _values(rows, task, columns)
        if values.empty:
            continue
        aside = _aside(values, columns, failed_mappings(rows))
        order, beside = list(columns.values()), _beside(published, task, columns)
        yield grid(f"{name}.", values[~aside], beside, columns=order)
        yield grid(f"{name}: {NOT_RANKED}", values[aside], columns=order, bold=False)
        yield from _paper(name, task, published, columns)


def _aside(
    values: pd.DataFrame, columns: Mapping[tuple[str, str], str], failed: Collection[tuple[str, str]]
) -> pd.Series:
    """Return which values are not ranked: controls, and transfer by vectors whose mapping found nothing."""
    lost = {(system, columns.get((ZERO_SHOT, target))) for system, target in failed}
    places = zip(values["system"], values["column"], strict=True)
    return pd.Series([place in lost or place[0] in CONTROLS for place in places], values.index)


def _columns(rows: pd.DataFrame, task: str) -> dict[tuple[str, str], str]:
    """Return (metric, target) -> label: the language of training, zero-shot, monolingual."""
    own = rows[(rows["table"] == "table2") & (rows["task"] == task)]
    found = {}
    for metric, form in ((SOURCE, "{}"), (ZERO_SHOT, "→ {}"), (MONOLINGUAL, "{} alone")):
        for target in own.loc[own["metric"] == metric, "target"].unique():
            found[metric, target] = form.format(target)
    return found


def _values(rows: pd.DataFrame, task: str, columns: Mapping[tuple[str, str], str]) -> pd.DataFrame:
    """Return system, column and value of a task's numbers."""
    own = rows[rows["task"] == task]
    labels = [columns.get(key) for key in zip(own["metric"], own["target"], strict=True)]
    return own.assign(column=labels).dropna(subset="column")[["system", "column", "value"]]


def _beside(
    published: Published, task: str, columns: Mapping[tuple[str, str], str]
) -> dict[tuple[str, str], float]:
    return {
        (system, columns[metric, target]): value
        for (system, target, own, metric), value in published.items()
        if own == task and (metric, target) in columns
    }


def _paper(
    name: str, task: str, published: Published, columns: Mapping[tuple[str, str], str]
) -> Iterator[Grid]:
    """Yield the paper's own table where its languages are not ours."""
    theirs = [(system, metric, target, value) for (system, target, own, metric), value in published.items()
              if own == task and (metric, target) not in columns]  # fmt: skip
    if not theirs:
        return
    forms = {
        SOURCE: "{}",
        ZERO_SHOT: "→ {}",
        MONOLINGUAL: "{} alone",
        SCENARIO_A: "{}: A",
        CHANGE: "{}: B − A",
    }
    values = pd.DataFrame(
        [(system, forms[metric].format(target), value) for system, metric, target, value in theirs],
        columns=["system", "column", "value"],
    )
    yield grid(f"{name}: the paper's figures for its languages.", values)


def _grids3(rows: pd.DataFrame, published: Published) -> Iterator[Grid]:
    for task, name in TASKS.items():
        own = rows[(rows["table"] == "table3") & (rows["task"] == task)]
        columns = {
            (metric, target): form.format(target)
            for target in own["target"].unique()
            for metric, form in ((SCENARIO_A, "{}: A"), (CHANGE, "{}: B − A"))
        }
        values = _values(own, task, columns)
        if values.empty:
            continue
        yield grid(f"{name}.", values, _beside(published, task, columns), columns=list(columns.values()))
        yield from _paper(name, task, published, columns)


TABLES = {
    "table2": Table("laser_taggers, table 2: transfer without target data", CAPTION2, _grids2, warning),
    "table3": Table("laser_taggers, table 3: joint training", CAPTION3, _grids3),
}
