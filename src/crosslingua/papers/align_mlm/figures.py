"""Figures 2 and 3, delta by pre-training objective and alignment against transfer, and the loss of the encoders."""

from collections.abc import Mapping
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from crosslingua.errors import ConfigError, InputError
from crosslingua.io.json import read_json
from crosslingua.metrics import read_rows
from crosslingua.papers.align_mlm import tables
from crosslingua.papers.align_mlm.tables import ALIGNMENT, TARGETS, TASKS, not_learnt, systems_of
from crosslingua.report import figures
from crosslingua.report.correlation import correlations, together
from crosslingua.report.figures import BLACK, Figure, Inputs, colours_of, finish, of_rows, pyplot
from crosslingua.report.tables import Key, read_reference

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Encoders from which a rank correlation is tested: of fewer, p stays above 0.05 unless all ranks agree.
ENOUGH = 6
MARKERS = ("o", "s", "D", "^", "v", "P", "X")  # of systems in turn
STYLES = dict(zip(TARGETS, ("-", "--", ":"), strict=True))
TARGET_COLOURS = dict(zip(TARGETS, (figures.GREEN, figures.ORANGE, figures.BLUE), strict=True))


def _systems(rows: pd.DataFrame) -> dict[str, str]:
    """Return the systems that were run, with their labels."""
    return {name: label for name, label in systems_of(rows).items() if name in set(rows["system"])}


def draw_figure2(inputs: Inputs, settings: Mapping[str, Any], out: list[Path]) -> None:
    """Draw delta of metrics `rows` by transformation, and the `published` numbers as dashes; setting: caption."""
    rows, published = read_rows(inputs["rows"]), read_reference(inputs["published"])
    rows = rows[rows["paper"] == "align_mlm"]
    deltas = rows[rows["metric"] == "delta"]
    found = dict(list(deltas.groupby(["system", "target", "task"])["value"]))
    targets = {target: name for target, name in TARGETS.items() if target in set(deltas["target"])}
    tasks = [task for task in TASKS if task in set(deltas["task"])]
    if not targets:
        raise InputError("metrics", "no rows of align_mlm's delta to draw")
    systems = _systems(rows)
    width, colours = 0.8 / len(systems), colours_of(systems)
    figure, ((*axes,),) = pyplot().subplots(1, len(targets), figsize=(13, 4.4), sharey=True, squeeze=False)
    for axis, (target, name) in zip(axes, targets.items(), strict=True):
        for place, (system, label) in enumerate(systems.items()):
            style = {"label": label, "color": colours[system]}
            for number, task in enumerate(tasks):
                x = number - 0.4 + (place + 0.5) * width
                _bar(axis, x, width, style, (system, target, task), found, published)
        axis.set_xticks(range(len(tasks)), [TASKS[task] for task in tasks])
        axis.set_title(name, fontsize=12)
        axis.axhline(0, color=BLACK, linewidth=0.8)
    axes[0].set_ylabel("Δ = supervised − zero-shot (points; lower is better)")
    handles, labels = axes[0].get_legend_handles_labels()
    unique = dict(zip(labels, handles, strict=True))
    caption = " ".join(filter(None, (settings.get("caption", ""), not_learnt(rows))))
    handles, labels = list(unique.values()), list(unique)
    finish(figure, caption, out, foot=0.07, height=0.96, handles=handles, labels=labels, ncols=len(labels))


def _bar(
    axis: "Axes",
    x: float,
    width: float,
    style: Mapping[str, Any],
    key: tuple[str, str, str],
    found: Mapping[tuple[str, str, str], pd.Series],
    published: Mapping[Key, float],
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


def plot_figure3(rows: pd.DataFrame, caption: str, out: list[Path]) -> None:
    """Draw alignment against delta, a panel for each task that was run; a point for each encoder and seed."""
    rows = rows[rows["paper"] == "align_mlm"]
    systems = _systems(rows)
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
        rho, number = np.mean([one.rho for one in seeds]), len(seeds[0].cells)
        too_few = f" of {number} encoders: too few for a test"
        tested = f", p = {together(seeds):.2g}" if number >= ENOUGH else too_few
        axis.set_title(f"{TASKS[task]}\nSpearman's ρ = {rho:.2f}{tested}", fontsize=10)
        axis.set_xlabel("Δ = supervised − zero-shot (points)")
    axes[0].set_ylabel("tokens aligned with their counterpart (%)")
    legend = [(BLACK, marker, systems[name]) for name, marker in markers.items()]
    legend += [(TARGET_COLOURS[t], "o", name) for t, name in TARGETS.items() if t in set(rows["target"])]
    handles = [
        plt.Line2D([], [], color=colour, marker=marker, linestyle="", label=label, markersize=8)
        for colour, marker, label in legend
    ]
    several = any(len(seeds) > 1 for seeds in found.values())
    caption += " ρ: mean over the seeds with the most encoders; p: of this mean." * several
    caption = " ".join(filter(None, (caption, not_learnt(rows))))
    finish(figure, caption, out, foot=0.09, height=0.96, handles=handles, ncols=len(handles), fontsize=9)


def draw_length(inputs: Inputs, settings: Mapping[str, Any], out: list[Path]) -> None:
    """Draw `rows` against steps, a panel a score; settings: caption, and `steps`, what table 3's systems had."""
    every = read_rows(inputs["rows"])
    rows, systems = tables.chosen(every), systems_of(every)
    if rows.empty:
        raise InputError("metrics", "no rows of systems trained for several lengths to draw")
    rows = rows.assign(steps=rows["steps"].where(rows["steps"] > 0, rows["base"].map(settings["steps"])))
    panels = [
        (title, scores)
        for title, task, metric in tables.SHOWN
        if metric != "delta" and not (scores := rows[rows["task"].eq(task) & rows["metric"].eq(metric)]).empty
    ]
    size = (1.5 + 4.2 * len(panels), 4.6)
    figure, ((*axes,),) = pyplot().subplots(1, len(panels), figsize=size, squeeze=False)
    for axis, (title, scores) in zip(axes, panels, strict=True):
        _panel(axis, scores, title, systems)
    lines = len(axes[0].get_legend_handles_labels()[1])
    foot, style = 0.06 + 0.04 * (lines > 4), {"fontsize": 9, "ncols": min(lines, 4)}
    finish(figure, settings.get("caption", ""), out, foot=foot, of=axes[0], **style)


def _panel(axis: "Axes", rows: pd.DataFrame, title: str, systems: Mapping[str, str]) -> None:
    colours = colours_of(systems)
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


def draw_loss(inputs: Inputs, settings: Mapping[str, Any], out: list[Path]) -> None:
    """Draw the loss of `runs`, folders of encoders; settings: names of the runs, caption."""
    runs, names = inputs["runs"], settings["names"]
    if len(runs) != len(names):
        raise ConfigError(f"{len(names)} names for {len(runs)} runs: name each, in their order")
    curves = {}
    for name, folder in zip(names, runs, strict=True):
        curve = figures.read_curve(folder)
        if "align_mlm" in curve:  # counted from its least: a distance, 1 less the cosine, for the cosine
            weight = read_json(Path(folder) / "training.json")["settings"]["align_alpha"]
            curve = {**curve, "align_mlm": [loss + weight for loss in curve["align_mlm"]]}
        curves[name] = curve
    figures.plot_losses(curves, settings.get("caption", ""), out)


FIGURES = {
    "figure2": Figure(
        "align_mlm, figure 2: Δ, supervised less zero-shot, of every pre-training objective; lower is better. "
        "Dashes are the paper's numbers.",
        draw_figure2,
    ),
    "figure3": Figure(
        "align_mlm, figure 3: alignment of word embeddings by transfer of the encoder; a point an objective and "
        "transformation.",
        of_rows(plot_figure3),
    ),
    tables.NAME: Figure(
        "align_mlm, beyond the paper: tokens whose counterpart is nearest, and zero-shot scores, after more updates.",
        draw_length,
    ),
    "loss": Figure(
        "Loss of align_mlm's encoders in pre-training, first seed. ALIGN-MLM adds to the loss of masked words the "
        "weighted mean distance (1 less the cosine) of dictionary pairs.",
        draw_loss,
    ),
}
