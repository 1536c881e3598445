"""The curve of training length: how many tokens find their counterpart, and what transfers, after more updates.

Beyond the paper, whose encoders all read 500,000 updates of 65,536 tokens: what a short training finds may be its
length's, not the objective's.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import cycle
from pathlib import Path
from typing import Any

import pandas as pd

from crosslingua.errors import InputError
from crosslingua.metrics import read_rows
from crosslingua.papers.align_mlm.grids import ALIGNMENT, COLOURS, TARGETS, TASKS, lines_grid, systems_of
from crosslingua.report.figures import pyplot, save
from crosslingua.report.tables import Grid, Published, Table

NAME = "training_length"
STYLES = dict(zip(TARGETS, ("-", "--", ":"), strict=True))
SHOWN = (  # title, task and metric of the columns
    ("tokens aligned", *ALIGNMENT),
    *((f"{name} zero-shot", task, "zero_shot") for task, name in TASKS.items()),
    *((f"{name} Δ", task, "delta") for task, name in TASKS.items()),
)
CAPTION = (
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


TABLE = Table("align_mlm, training length: alignment and transfer after more updates", CAPTION, grids)


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
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, frameon=False, fontsize=9, loc="lower center", ncols=min(len(labels), 4))
    figure.text(0.5, 0.965, settings.get("caption", ""), ha="center", fontsize=10, color="#444444")
    figure.tight_layout(rect=(0, 0.06 + 0.04 * (len(labels) > 4), 1, 0.95))
    save(figure, out)


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
