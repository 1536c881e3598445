"""Tables: transfer from a natural to a derived language, word-embedding alignment, and training length.

Systems are `mlm`, `xlm`, `dict_mlm`, `align_mlm`; what an ablation changes is added to the name, with its value in
percent: `xlm_parallel_100`, `dict_mlm_dictionary_50`, `xlm_overlap_25`. A row's target is the transformation.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from itertools import cycle
from pathlib import Path
from typing import Any

import pandas as pd

from crosslingua.errors import InputError
from crosslingua.metrics import read_rows
from crosslingua.papers.align_mlm.grids import (
    ALIGNMENT,
    COLOURS,
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
from crosslingua.report.figures import finish, pyplot
from crosslingua.report.tables import Grid, Published, Table, grid
from crosslingua.tasks.scores import SHARE

NAME = "training_length"
STYLES = dict(zip(TARGETS, ("-", "--", ":"), strict=True))
SHOWN = (  # title, task and metric of the columns
    ("tokens aligned", *ALIGNMENT),
    *((f"{name} zero-shot", task, "zero_shot") for task, name in TASKS.items()),
    *((f"{name} Δ", task, "delta") for task, name in TASKS.items()),
)
LENGTH_CAPTION = (
    "Percent, mean ± standard deviation over seeds. Aligned: tokens of the natural language whose counterpart has the "
    "highest cosine among the derived language's. NER: F1 of entities (strict); POS: F1 of runs of tags; Δ: supervised "
    "less zero-shot. A system without a number of steps is table 3's."
)


def chosen(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of systems with more than one training length; columns `base` and `steps` (0: table 3's)."""
    parts = rows["system"].str.extract(r"^(.+)_steps_(\d+)$")
    rows = rows.assign(base=parts[0].fillna(rows["system"]), steps=parts[1].fillna("0").astype(int))
    longer = set(zip(*(rows.loc[rows["steps"] > 0, column] for column in ("base", "target")), strict=True))
    return rows[[place in longer for place in zip(rows["base"], rows["target"], strict=True)]]


def grids(rows: pd.DataFrame, published: Published) -> Iterator[Grid]:
    """Yield a grid a transformation, a line a system and number of steps."""
    order = list(systems_of(rows))
    rows = chosen(rows)
    for target, title in TARGETS.items():
        own = rows[rows["target"] == target]
        lines = [
            (f"{base}, {steps:,} steps" if steps else base, name, target)
            for base, steps, name in sorted(
                set(zip(own["base"], own["steps"], own["system"], strict=True)),
                key=lambda line: (order.index(line[0]), line[1]),
            )
        ]
        if lines:
            yield lines_grid(title.capitalize(), own, {}, lines, SHOWN)


TABLE = Table("align_mlm, training length: alignment and transfer after more updates", LENGTH_CAPTION, grids)


def draw(inputs: Mapping[str, list[Path]], settings: Mapping[str, Any], out: list[Path]) -> None:
    """Draw `rows` against steps, a panel a score; settings: caption, and `steps`, what table 3's systems had."""
    every = read_rows(inputs["rows"])
    rows, systems = chosen(every), systems_of(every)
    if rows.empty:
        raise InputError("metrics", "no rows of systems trained for several lengths to draw")
    rows = rows.assign(steps=rows["steps"].where(rows["steps"] > 0, rows["base"].map(settings["steps"])))
    panels = [shown for shown in SHOWN if shown[2] != "delta" and not _scores(rows, *shown[1:]).empty]
    plt = pyplot()
    figure, ((*axes,),) = plt.subplots(1, len(panels), figsize=(1.5 + 4.2 * len(panels), 4.6), squeeze=False)
    for axis, (title, task, metric) in zip(axes, panels, strict=True):
        _panel(axis, _scores(rows, task, metric), title, systems)
    lines = len(axes[0].get_legend_handles_labels()[1])
    foot, style = 0.06 + 0.04 * (lines > 4), {"fontsize": 9, "ncols": min(lines, 4)}
    finish(figure, settings.get("caption", ""), out, foot=foot, of=axes[0], **style)


def _scores(rows: pd.DataFrame, task: str, metric: str) -> pd.DataFrame:
    return rows[(rows["task"] == task) & (rows["metric"] == metric)]


def _panel(axis, rows: pd.DataFrame, title: str, systems: Mapping[str, str]) -> None:
    colours = dict(zip(systems, cycle(COLOURS), strict=False))
    for (base, target), own in rows.groupby(["base", "target"], sort=False):
        values = own.groupby("steps")["value"].agg(["mean", "std"])
        axis.errorbar(
            values.index, values["mean"], yerr=values["std"].fillna(0), color=colours[base],
            linestyle=STYLES[target], marker="o", markersize=4, capsize=2, label=f"{systems[base]}, {TARGETS[target]}",
        )  # fmt: skip
    steps = sorted(rows["steps"].unique())
    axis.set_xscale("log")
    axis.set_xticks(steps, [f"{one:,}" for one in steps])
    axis.minorticks_off()
    axis.set_ylim(0, 1.1 * rows["value"].max() or 1)
    axis.set_title(title, fontsize=11)
    axis.set_xlabel("updates of pre-training")
    axis.spines[["top", "right"]].set_visible(False)


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


_table2, _table5 = (partial(_dictionary, target=target) for target in ("trans_inv", "trans_syn"))
TABLES = {
    name: Table(f"align_mlm, {title}", CAPTION, build, not_learnt)
    for name, title, build in (
        ("table1", "tables 1 and 6: XLM with more or less parallel data", _table1),
        ("table2", "tables 2 and 4: size of the dictionary (transliteration and inversion)", _table2),
        ("table3", "table 3: transfer to derived languages", _table3),
        ("table5", "table 5: size of the dictionary (transliteration and syntax)", _table5),
        ("table7", "table 7: XLM with shared vocabulary", _table7),
        ("table8", "table 8: word-embedding alignment and transfer", _table8),
    )
} | {NAME: TABLE}
