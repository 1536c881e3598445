"""Tables: transfer from a natural to a derived language, and word-embedding alignment.

Systems are `mlm`, `xlm`, `dict_mlm`, `align_mlm`; what an ablation changes is added to the name, with its value in
percent: `xlm_parallel_100`, `dict_mlm_dictionary_50`, `xlm_overlap_25`. A row's target is the transformation.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from statistics import mean

import pandas as pd

from crosslingua.report.correlation import correlations
from crosslingua.report.reference import COLUMNS
from crosslingua.report.tables import Grid, Published, Table, grid
from crosslingua.tasks.learnt import is_learnt

# Of table 3; ablations are no part of the paper's correlation.
SYSTEMS = {"mlm": "MLM", "xlm": "XLM", "dict_mlm": "DICT-MLM", "align_mlm": "ALIGN-MLM"}
CONTROLS = {"untrained": "no pre-training"}  # what fine-tuning alone gives: the floor of a zero-shot score
TARGETS = {
    "trans": "transliteration",
    "trans_inv": "transliteration and inversion",
    "trans_syn": "transliteration and syntax",
}
TASKS = {"nli": "NLI", "ner": "NER", "pos": "POS"}
METRICS = {"supervised": "supervised", "zero_shot": "zero-shot", "delta": "Δ"}
# Other scores of the same predictions: task, suffix of the metric, and the title of its columns.
ALSO = (("ner", "conll", "NER as conlleval"), ("pos", "accuracy", "POS accuracy"))
ALIGNMENT = ("embedding_alignment", "alignment")  # task and metric of table 8's score

CAPTION = (
    "Percent, mean ± standard deviation over seeds; the paper's figure in parentheses; the best of a column is bold. "
    "NLI: accuracy; NER: F1 of entities (strict); POS: F1 of runs of tags, as seqeval has it. Supervised: trained and "
    "tested on the derived language; zero-shot: trained on the natural one; Δ, their difference, is better when low. "
    "Untrained: an encoder of random weights, fine-tuned alike; a zero-shot score counts for what it is above that."
)
Line = tuple[str, str, str]  # a grid's row: label, system, target
Column = tuple[str, str, str]  # label, task, metric


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


def _table3(rows: pd.DataFrame, published: Published) -> Iterator[Grid]:
    for target, name in TARGETS.items():
        lines = [(system, system, target) for system in (*SYSTEMS, *CONTROLS)]
        yield _grid(name.capitalize(), rows, published, lines, _columns())
        also = [(f"{name} {METRICS[m]}", task, f"{m}_{how}") for task, how, name in ALSO for m in METRICS]
        yield _grid(f"{name.capitalize()}: the same predictions, scored otherwise", rows, {}, lines, also)


def _table1(rows: pd.DataFrame, published: Published) -> Iterator[Grid]:
    lines = [*_varied(rows, "xlm", "parallel", 25, "trans_inv"), ("align_mlm 0%", "align_mlm", "trans_inv")]
    yield _grid("Parallel sentences, relative to those of one language", rows, published, lines, _columns())


def _dictionary(rows: pd.DataFrame, published: Published, target: str) -> Iterator[Grid]:
    lines = [line for s in ("dict_mlm", "align_mlm") for line in _varied(rows, s, "dictionary", 25, target)]
    note = "Tokens in the dictionary, of those of the natural language"
    yield _grid(note, rows, published, lines, _columns(["delta", "zero_shot", "supervised"]))


def _table7(rows: pd.DataFrame, published: Published) -> Iterator[Grid]:
    lines = _varied(rows, "xlm", "overlap", 0, "trans_inv")
    yield _grid("Vocabulary that both languages share", rows, published, lines, _columns())


def _table8(rows: pd.DataFrame, published: Published) -> Iterator[Grid]:
    lines = [(f"{system} {target}", system, target) for system in SYSTEMS for target in TARGETS]
    columns = [("alignment", *ALIGNMENT), *_columns(["delta"])]
    yield _grid("Tokens whose counterpart is nearest (%), and Δ", rows, published, lines, columns)
    found = [
        (TASKS[task], name, value)
        for task, seeds in correlations(rows, SYSTEMS, TASKS).items()
        for one in seeds
        for name, value in (("ρ", one.rho), ("p", one.p))
    ]
    rhos = {(TASKS[task], "ρ"): published.get(("all", "all", task, "spearman")) for task in TASKS}
    note = "Spearman's rank correlation of alignment with transfer (−Δ); two-tailed p, permuted within transformations"
    yield grid(note, pd.DataFrame(found, columns=["system", "column", "value"]), rhos, decimals=3, bold=False)


def _columns(metrics: Iterable[str] = tuple(METRICS)) -> list[Column]:
    return [(f"{TASKS[task]} {METRICS[metric]}", task, metric) for task in TASKS for metric in metrics]


def _varied(rows: pd.DataFrame, system: str, factor: str, default: int, target: str) -> list[Line]:
    """Return lines of `system` with each value of `factor` that was run, from low to high."""
    pattern = re.compile(rf"{system}_{factor}_(\d+)")
    names = rows.loc[rows["target"] == target, "system"].unique()
    percents = {int(match[1]): name for name in names if (match := pattern.fullmatch(name))} | {
        default: system
    }
    return [(f"{system} {percent}%", percents[percent], target) for percent in sorted(percents)]


def _grid(
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
    unranked = [*CONTROLS, *_unranked(rows, (target for *_, target in lines), columns)]
    names = [label for label, *_ in columns]
    return grid(note, ours, beside, columns=names, lowest=lowest, bold=one, unranked=unranked)


TABLES = {
    name: Table(f"align_mlm, {title}", CAPTION, grids, not_learnt)
    for name, title, grids in (
        ("table1", "tables 1 and 6: XLM with more or less parallel data", _table1),
        (
            "table2",
            "tables 2 and 4: size of the dictionary (transliteration and inversion)",
            partial(_dictionary, target="trans_inv"),
        ),
        ("table3", "table 3: transfer to derived languages", _table3),
        (
            "table5",
            "table 5: size of the dictionary (transliteration and syntax)",
            partial(_dictionary, target="trans_syn"),
        ),
        ("table7", "table 7: XLM with shared vocabulary", _table7),
        ("table8", "table 8: word-embedding alignment and transfer", _table8),
    )
}
