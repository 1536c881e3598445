"""A grid of align_mlm's rows: names of systems, transformations and tasks, and what was not learnt."""

from collections.abc import Iterable, Iterator, Sequence
from statistics import mean

import pandas as pd

from crosslingua.report.figures import AMBER, BLUE, GREEN, GREY, ORANGE, PURPLE, SKY
from crosslingua.report.tables import COLUMNS, Grid, Published, grid
from crosslingua.tasks.kinds import KINDS
from crosslingua.tasks.scores import gains_by_pretraining, is_learnt

# The paper's, in its order; a system of one's own follows under its name (`systems_of`).
SYSTEMS = {"mlm": "MLM", "xlm": "XLM", "dict_mlm": "DICT-MLM", "align_mlm": "ALIGN-MLM"}
COLOURS = (GREY, BLUE, GREEN, ORANGE, PURPLE, SKY, AMBER)  # of systems in turn
CONTROLS = {"untrained": "no pre-training"}  # what fine-tuning alone gives: the floor of a zero-shot score
MAJORITY = "majority"  # the other floor: always the most frequent class, or tag
FLOORS = (*CONTROLS, MAJORITY)
TARGETS = {
    "trans": "transliteration",
    "trans_inv": "transliteration and inversion",
    "trans_syn": "transliteration and syntax",
}
TASKS = {task: KINDS[task].short for task in ("nli", "ner", "pos", *KINDS)}  # the paper's first
METRICS = {"supervised": "supervised", "zero_shot": "zero-shot", "delta": "Δ"}
ALIGNMENT = ("embedding_alignment", "alignment")  # task and metric of table 8's score
Line = tuple[str, str, str]  # a grid's row: label, system, target
Column = tuple[str, str, str]  # label, task, metric


def systems_of(rows: pd.DataFrame) -> dict[str, str]:
    """Return the systems of table 3 with their labels, the paper's first; neither controls nor those of ablations."""
    found = rows.loc[rows["table"] == "table3", "system"].unique()
    return SYSTEMS | {name: name for name in found if name not in (*SYSTEMS, *FLOORS)}


def not_learnt(rows: pd.DataFrame) -> str:
    """Return a sentence about tasks that were not learnt: their delta is small for no good reason."""
    return " ".join(filter(None, (_not_learnt(rows[rows["task"] == task], task) for task in TASKS)))


def _not_learnt(rows: pd.DataFrame, task: str) -> str:
    told = _told(rows)
    failed = [target for target in told if not _learnt(told[target])]
    if not failed:
        return ""
    all_failed = len(failed) == rows["target"].nunique()
    where = "" if all_failed else f" ({', '.join(TARGETS[target] for target in failed)})"
    ours = ", ".join(f"{mean(told[target]['supervised']):.1f}" for target in failed)
    cheap = max(told[target]["majority"].iloc[0] for target in failed)
    return (
        f"{TASKS[task]} was not learnt{where}: {ours} supervised, {cheap:.1f} by the most frequent class alone;"
        " its Δ says nothing."
    )


def _told(rows: pd.DataFrame) -> dict[str, dict[str, pd.Series]]:
    """Return a task's scores by metric, of each target in which the most frequent class is told beside them."""
    scores = {
        target: dict(list(own.groupby("metric")["value"]))
        for target, own in rows.groupby("target", sort=False)
    }
    return {target: own for target, own in scores.items() if {"supervised", "majority"} <= own.keys()}


def _learnt(scores: dict[str, pd.Series]) -> bool:
    return is_learnt(scores["supervised"], scores["majority"].iloc[0])


def _unranked(rows: pd.DataFrame, targets: Iterable[str], columns: Sequence[Column]) -> list[str]:
    """Return the columns of tasks that were not learnt in one of the targets: the best of them is no best."""
    shown = rows[rows["target"].isin(set(targets))]
    failed = {task for task in TASKS if not all(map(_learnt, _told(shown[shown["task"] == task]).values()))}
    return [label for label, task, _ in columns if task in failed]


def with_majority(rows: pd.DataFrame) -> pd.DataFrame:
    """Return rows with those of a system `majority` added, which transfers what it learns: it gives one class."""
    floor = rows[rows["metric"].isin([MAJORITY, f"{MAJORITY}_accuracy"])]
    floor = floor.drop_duplicates(["task", "target", "metric"])  # the same for every system and seed
    added = [
        floor.assign(system=MAJORITY, metric=floor["metric"].str.replace(MAJORITY, metric))
        for metric in ("supervised", "zero_shot")
    ]
    spans = [
        part[part["task"].eq("ner")].assign(metric=lambda own: own["metric"] + "_conll") for part in added
    ]
    return pd.concat([rows, *added, *spans], ignore_index=True)


def _best_without_pretraining(
    rows: pd.DataFrame, lines: Sequence[Line], columns: Sequence[Column]
) -> Iterator[str]:
    """Yield the columns whose best is hardly above random weights, or no better in zero-shot than a floor."""
    scores = rows.groupby(["metric", "task", "target", "system"])["value"].apply(list)
    compared = [(target, system) for _, system, target in lines if system not in FLOORS]
    for column, task, metric in columns:
        found = {one: mean(scores[key]) for one in compared if (key := (metric, task, *one)) in scores}
        if not found:
            continue
        target, system = (min if metric.startswith("delta") else max)(found, key=found.__getitem__)
        own, floor = (scores.get(("supervised", task, target, name)) for name in (system, *CONTROLS))
        cheap = [mean(value) for name in FLOORS if (value := scores.get((metric, task, target, name)))]
        no_better = metric.startswith("zero_shot") and cheap and found[target, system] <= max(cheap)
        if no_better or (own and floor and not gains_by_pretraining(own, floor)):
            yield column


def lines_grid(
    note: str, rows: pd.DataFrame, published: Published, lines: Sequence[Line], columns: Sequence[Column]
) -> Grid:
    """Return the numbers of `lines` and `columns`; those without any number of ours are left out."""
    places = pd.DataFrame(lines, columns=["label", "system", "target"]).merge(
        pd.DataFrame(columns, columns=["column", "task", "metric"]), how="cross"
    )
    theirs = pd.DataFrame([(*key, value) for key, value in published.items()], columns=list(COLUMNS))
    ours, theirs = (
        places.merge(numbers[list(COLUMNS)])[["label", "column", "value"]].rename(columns={"label": "system"})
        for numbers in (rows, theirs)
    )
    beside = theirs.set_index(["system", "column"])["value"].to_dict()
    lowest = {label for label, _, metric in columns if metric.startswith("delta")}
    one = len({target for *_, target in lines}) == 1  # numbers of several languages do not compete
    unranked = [
        *FLOORS,
        *_unranked(rows, (target for *_, target in lines), columns),
        *_best_without_pretraining(rows, lines, columns),
    ]
    names = [label for label, *_ in columns]
    return grid(note, ours, beside, columns=names, lowest=lowest, bold=one, unranked=unranked)
