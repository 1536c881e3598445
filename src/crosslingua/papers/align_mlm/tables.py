"""Tables: transfer from a natural to a derived language, and word-embedding alignment.

Systems are `mlm`, `xlm`, `dict_mlm`, `align_mlm`; what an ablation changes is added to the name, with its value in
percent: `xlm_parallel_100`, `dict_mlm_dictionary_50`, `xlm_overlap_25`. A row's target is the transformation.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import partial

import pandas as pd

from crosslingua.papers.align_mlm import length
from crosslingua.papers.align_mlm.grids import (
    ALIGNMENT,
    FLOORS,
    METRICS,
    TARGETS,
    TASKS,
    Column,
    Line,
    lines_grid,
    not_learnt,
    systems_of,
    with_majority,
)
from crosslingua.report.correlation import correlations
from crosslingua.report.tables import Grid, Published, Table, grid
from crosslingua.tasks.learnt import SHARE

# Other scores of the same predictions: task, suffix of the metric, and the title of its columns.
ALSO = (("ner", "conll", "NER as conlleval"), ("pos", "accuracy", "POS accuracy"))
CAPTION = (
    "Percent, mean ± standard deviation over seeds; the paper's figure in parentheses; the best of a column is bold. "
    "NLI: accuracy; NER: F1 of entities (strict); POS: F1 of runs of tags, as seqeval has it. Supervised: trained and "
    "tested on the derived language; zero-shot: trained on the natural one; Δ, their difference, is better when low. "
    "Untrained: an encoder of random weights, fine-tuned alike; majority: always the most frequent class or tag; a "
    "zero-shot score counts for what it is above both. None is best of a column if its system's supervised score takes "
    f"under {SHARE:.0%} of what random weights leave: it has learnt little, and has little to lose."
)


def _table3(rows: pd.DataFrame, published: Published) -> Iterator[Grid]:
    rows = with_majority(rows)
    for target, name in TARGETS.items():
        lines = [(system, system, target) for system in (*systems_of(rows), *FLOORS)]
        yield lines_grid(name.capitalize(), rows, published, lines, _columns())
        also = [(f"{name} {METRICS[m]}", task, f"{m}_{how}") for task, how, name in ALSO for m in METRICS]
        yield lines_grid(
            f"{name.capitalize()}: the same predictions, scored otherwise", rows, {}, lines, also
        )


def _table1(rows: pd.DataFrame, published: Published) -> Iterator[Grid]:
    lines = [*_varied(rows, "xlm", "parallel", 25, "trans_inv"), ("align_mlm 0%", "align_mlm", "trans_inv")]
    yield lines_grid(
        "Parallel sentences, relative to those of one language", rows, published, lines, _columns()
    )


def _dictionary(rows: pd.DataFrame, published: Published, target: str) -> Iterator[Grid]:
    lines = [line for s in ("dict_mlm", "align_mlm") for line in _varied(rows, s, "dictionary", 25, target)]
    note = "Tokens in the dictionary, of those of the natural language"
    yield lines_grid(note, rows, published, lines, _columns(["delta", "zero_shot", "supervised"]))


def _table7(rows: pd.DataFrame, published: Published) -> Iterator[Grid]:
    lines = _varied(rows, "xlm", "overlap", 0, "trans_inv")
    yield lines_grid("Vocabulary that both languages share", rows, published, lines, _columns())


def _table8(rows: pd.DataFrame, published: Published) -> Iterator[Grid]:
    lines = [(f"{system} {target}", system, target) for system in systems_of(rows) for target in TARGETS]
    columns = [("alignment", *ALIGNMENT), *_columns(["delta"])]
    yield lines_grid("Tokens whose counterpart is nearest (%), and Δ", rows, published, lines, columns)
    found = [
        (TASKS[task], name, value)
        for task, seeds in correlations(rows, systems_of(rows), TASKS).items()
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


TABLES = {
    name: Table(f"align_mlm, {title}", CAPTION, build, not_learnt)
    for name, title, build in (
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
} | {length.NAME: length.TABLE}
