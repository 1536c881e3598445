"""Figures 2 and 3, delta by pre-training objective and alignment against transfer, and the loss of the encoders."""

from collections.abc import Mapping, Sequence
from itertools import cycle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from crosslingua.errors import ConfigError, InputError
from crosslingua.metrics import read_rows
from crosslingua.papers.align_mlm import tables
from crosslingua.papers.align_mlm.grids import ALIGNMENT, COLOURS, TARGETS, TASKS, not_learnt, systems_of
from crosslingua.report.correlation import correlations
from crosslingua.report.figures import BLACK, BLUE, GREEN, ORANGE, Figure, finish, pyplot
from crosslingua.report.line_figures import plot_losses, read_curve
from crosslingua.report.tables import Key, read_reference

MARKERS = ("o", "s", "D", "^", "v", "P", "X")  # of systems in turn
TARGET_COLOURS = dict(zip(TARGETS, (GREEN, ORANGE, BLUE), strict=True))


def plot_figure2(
    rows: pd.DataFrame, published: Mapping[Key, float], caption: str, out: Sequence[str | Path]
) -> None:
    """Draw delta of the tasks that were run, a panel a transformation: means, deviations, and the paper's as dashes."""
    rows = rows[rows["paper"] == "align_mlm"]
    deltas = rows[rows["metric"] == "delta"]
    found = dict(list(deltas.groupby(["system", "target", "task"])["value"]))
    targets = {target: name for target, name in TARGETS.items() if target in set(deltas["target"])}
    tasks = [task for task in TASKS if task in set(deltas["task"])]
    if not targets:
        raise InputError("metrics", "no rows of align_mlm's delta to draw")
    systems = _with_rows(rows)
    width = 0.8 / len(systems)
    plt = pyplot()
    figure, ((*axes,),) = plt.subplots(1, len(targets), figsize=(13, 4.4), sharey=True, squeeze=False)
    for axis, (target, name) in zip(axes, targets.items(), strict=True):
        for place, (system, label) in enumerate(systems.items()):
            style = {"label": label, "color": COLOURS[place % len(COLOURS)]}
            for number, task in enumerate(tasks):
                x = number - 0.4 + (place + 0.5) * width
                _bar(axis, x, width, style, (system, target, task), found, published)
        axis.set_xticks(range(len(tasks)), [TASKS[task] for task in tasks])
        axis.set_title(name, fontsize=12)
        axis.axhline(0, color=BLACK, linewidth=0.8)
        axis.spines[["top", "right"]].set_visible(False)
    axes[0].set_ylabel("Δ = supervised − zero-shot (points; lower is better)")
    handles, labels = axes[0].get_legend_handles_labels()
    unique = dict(zip(labels, handles, strict=True))
    legend = {"handles": list(unique.values()), "labels": list(unique), "ncols": len(unique)}
    finish(figure, _with_warning(caption, rows), out, foot=0.07, height=0.96, **legend)


def _with_rows(rows: pd.DataFrame) -> dict[str, str]:
    """Return the systems that were run, with their labels."""
    return {name: label for name, label in systems_of(rows).items() if name in set(rows["system"])}


def _with_warning(caption: str, rows: pd.DataFrame) -> str:
    return " ".join(filter(None, (caption, not_learnt(rows))))


def _bar(
    axis, x: float, width: float, style: Mapping, key: tuple, found: Mapping, published: Mapping
) -> None:
    if key in found:
        values = found[key]
        axis.bar(
            x, values.mean(), width * 0.9, yerr=values.std() if len(values) > 1 else None,
            error_kw={"elinewidth": 1, "ecolor": BLACK}, **style,
        )  # fmt: skip
    if (value := published.get((*key, "delta"))) is not None:
        span = (x - width * 0.45, x + width * 0.45)
        axis.plot(span, [value] * 2, color=BLACK, linewidth=2, linestyle=":", label="the paper")


def plot_figure3(rows: pd.DataFrame, caption: str, out: Sequence[str | Path]) -> None:
    """Draw alignment against delta, a panel for each task that was run and a point for each encoder and seed."""
    rows = rows[rows["paper"] == "align_mlm"]
    systems = _with_rows(rows)
    markers = dict(zip(systems, cycle(MARKERS), strict=False))
    found = {task: seeds for task, seeds in correlations(rows, systems, TASKS).items() if seeds}
    if not found:
        raise InputError("metrics", f"no task with {ALIGNMENT[0]} and delta of three cells to draw")
    plt = pyplot()
    figure, ((*axes,),) = plt.subplots(1, len(found), figsize=(13, 4.6), sharey=True, squeeze=False)
    for axis, (task, seeds) in zip(axes, found.items(), strict=True):
        for one in seeds:
            for (system, target), x, y in zip(one.cells, one.delta, one.alignment, strict=True):
                axis.scatter(x, y, s=60, color=TARGET_COLOURS[target], marker=markers[system], alpha=0.75)
        rhos, ps = [c.rho for c in seeds], [c.p for c in seeds]
        text = f"Spearman's ρ = {np.mean(rhos):.2f}, p = {np.max(ps):.2g}"
        axis.set_title(f"{TASKS[task]}\n{text}", fontsize=10)
        axis.set_xlabel("Δ = supervised − zero-shot (points)")
        axis.spines[["top", "right"]].set_visible(False)
    axes[0].set_ylabel("tokens aligned with their counterpart (%)")
    named = {systems[name]: marker for name, marker in markers.items()}
    handles = _handles(plt, named, set(rows["target"]))
    several = any(len(seeds) > 1 for seeds in found.values())
    caption = _with_warning(caption + " ρ: mean over seeds; p: the highest." * several, rows)
    finish(figure, caption, out, foot=0.09, height=0.96, handles=handles, ncols=len(handles), fontsize=9)


def _handles(plt, markers: Mapping[str, str], targets: set[str]) -> list:
    def handle(colour: str, marker: str, label: str):
        return plt.Line2D([], [], color=colour, marker=marker, linestyle="", label=label, markersize=8)

    handles = [handle(BLACK, marker, name) for name, marker in markers.items()]
    return handles + [handle(TARGET_COLOURS[t], "o", name) for t, name in TARGETS.items() if t in targets]


def draw_figure2(inputs: Mapping[str, list[Path]], settings: Mapping[str, Any], out: list[Path]) -> None:
    """Draw figure 2 of metrics `rows`, beside the `published` numbers; setting: caption."""
    plot_figure2(
        read_rows(inputs["rows"]), read_reference(inputs["published"]), settings.get("caption", ""), out
    )


def draw_figure3(inputs: Mapping[str, list[Path]], settings: Mapping[str, Any], out: list[Path]) -> None:
    """Draw figure 3 of metrics `rows`; setting: caption."""
    plot_figure3(read_rows(inputs["rows"]), settings.get("caption", ""), out)


def draw_loss(inputs: Mapping[str, list[Path]], settings: Mapping[str, Any], out: list[Path]) -> None:
    """Draw the loss of `runs`, folders of encoders; settings: names of the runs, caption."""
    runs, names = inputs["runs"], settings["names"]
    if len(runs) != len(names):
        raise ConfigError(f"{len(names)} names for {len(runs)} runs: name each, in their order")
    curves = {name: read_curve(folder) for name, folder in zip(names, runs, strict=True)}
    plot_losses(curves, settings.get("caption", ""), out)


FIGURES = {
    "figure2": Figure(
        "align_mlm, figure 2: Δ, supervised less zero-shot (lower is better transfer), of every pre-training "
        "objective; dashes are the paper's.",
        draw_figure2,
    ),
    "figure3": Figure(
        "align_mlm, figure 3: how well word embeddings are aligned, and how well the encoder transfers; one point an "
        "objective and transformation.",
        draw_figure3,
    ),
    tables.NAME: Figure(
        "align_mlm, beyond the paper: tokens whose counterpart is nearest, and zero-shot scores, after more updates.",
        tables.draw,
    ),
    "loss": Figure(
        "Loss of align_mlm's encoders while they are pre-trained, first seed. ALIGN-MLM's holds ten times the mean "
        "cosine of the dictionary's pairs, negated.",
        draw_loss,
    ),
}
