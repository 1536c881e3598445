"""Figure 2: how much each alignment improves on the baseline, against the distance of the languages."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from crosslingua.errors import InputError
from crosslingua.metrics import conditions, read_rows
from crosslingua.papers.mbert_align.tables import SYSTEMS, TASKS, distances, scores
from crosslingua.report import figures
from crosslingua.report.figures import Figure, Inputs, pyplot, save
from crosslingua.report.tables import Key, read_reference
from crosslingua.tasks.kinds import kind_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

METHODS = tuple(SYSTEMS)[1:]
MARKERS = dict(zip(METHODS, "osD^vP", strict=True))
SIDEWAYS = 0.008  # of the width, by which the points of a target are set apart: their deviations would cover each other
MEASURED = "distance (%): spelling and order, measured"
PUBLISHED = "distance (%): syntax, URIEL"


@dataclass(frozen=True)
class Trend:
    """A task: of each target its distance, and of each system its improvements (one a seed) by target."""

    title: str
    axis: str
    distances: Mapping[str, float]
    gains: Mapping[str, Mapping[str, Sequence[float]]]


def ours(rows: pd.DataFrame) -> list[Trend]:
    """Return a panel for each task of ours. Raises InputError if no system was run beside the baseline."""
    far = distances(rows)
    far = far[far["system"] == "distance"]
    plain = [conditions(one).get("translated") == "no" for one in rows["signature"].astype(str)]
    found = []
    for task, values in scores(rows[~np.array(plain)]).groupby("task", sort=False):
        places = dict(zip(far[far["task"] == task]["target"], far[far["task"] == task]["value"], strict=True))
        gains = improvements(values, places)
        if gains:
            found.append(Trend(kind_of(task).short, MEASURED, places, gains))
    if not found:
        raise InputError(
            "metrics", "no rows of mbert_align's figure 2: no alignment stands beside the baseline"
        )
    return found


def improvements(values: pd.DataFrame, targets: Mapping[str, float]) -> dict[str, dict[str, list[float]]]:
    """Return system -> target -> F1 less the baseline's of the same seed, one a seed."""
    table = values.pivot_table(index=["target", "seed"], columns="system", values="value")
    if "mbert" not in table:
        return {}
    less = table.sub(table["mbert"], axis=0)
    return {
        system: {
            target: less.loc[target][system].dropna().tolist()
            for target in targets
            if target in less.index and less.loc[target][system].notna().any()
        }
        for system in METHODS
        if system in less
    }


def theirs(published: Mapping[Key, float]) -> list[Trend]:
    """Return a panel for each task of the paper."""
    found = []
    for task in TASKS:
        wanted = ("distance", task, "syntactic")
        places = {t: value for (s, t, k, m), value in published.items() if (s, k, m) == wanted}
        gains = {
            system: {
                target: [published[system, target, task, "f1"] - published["mbert", target, task, "f1"]]
                for target in places
                if (system, target, task, "f1") in published
            }
            for system in METHODS
        }
        if places:
            found.append(Trend(f"{kind_of(task).short}, the paper", PUBLISHED, places, gains))
    return found


def draw_figure2(inputs: Inputs, settings: Mapping[str, Any], out: list[Path]) -> None:
    """Draw metrics `rows`, and the `published` numbers, a panel a task, two a line; setting: caption."""
    panels = ours(read_rows(inputs["rows"])) + theirs(read_reference(inputs.get("published", [])))
    caption, lines = settings.get("caption", ""), (len(panels) + 1) // 2
    figure, axes = pyplot().subplots(lines, 2, figsize=(12, 4.2 * lines + 0.6), squeeze=False)
    for axis, panel in zip(axes.flat, panels, strict=False):
        _draw(axis, panel)
    for axis in axes.flat[len(panels) :]:
        axis.set_visible(False)
    handles, labels = axes.flat[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="lower center", ncols=3, frameon=False, fontsize=9)
    figure.text(0.5, 0.98, caption, ha="center", va="top", fontsize=10, color="#444444")
    figure.tight_layout(rect=(0, 0.16 / lines, 1, 0.96))
    save(figure, out)


def _draw(axis: "Axes", panel: Trend) -> None:
    targets = sorted(panel.distances, key=panel.distances.__getitem__)
    step = SIDEWAYS * float(np.ptp(list(panel.distances.values())))
    for number, (system, gains) in enumerate(panel.gains.items()):
        known = [target for target in targets if target in gains]
        aside = (number - (len(panel.gains) - 1) / 2) * step
        x = [panel.distances[target] + aside for target in known]
        y = [float(np.mean(gains[target])) for target in known]
        error = [float(np.std(gains[t], ddof=1)) if len(gains[t]) > 1 else 0.0 for t in known]
        axis.errorbar(
            x, y, yerr=error if any(error) else None, color=figures.OF_SYSTEMS[system], marker=MARKERS[system],
            label=SYSTEMS[system], linestyle="", markersize=6, elinewidth=0.8, capsize=2, alpha=0.9,
        )  # fmt: skip
    axis.axhline(0, color=figures.BLACK, linewidth=0.8)
    # The target languages stand above their places; languages of one place stand together.
    places: dict[float, list[str]] = {}
    for target in targets:
        places.setdefault(round(panel.distances[target], 1), []).append(target.partition("_")[0])
    for number, (place, names) in enumerate(places.items()):
        axis.annotate(
            "/".join(dict.fromkeys(names)), (place, 1.0), xycoords=("data", "axes fraction"), ha="center",
            xytext=(0, 12 if number % 2 else 2), textcoords="offset points", fontsize=8, color="#555555",
        )  # fmt: skip
    axis.set_title(panel.title, fontsize=11, pad=26)
    axis.set_xlabel(panel.axis)
    axis.set_ylabel("F1 above the mBERT baseline")
    axis.grid(axis="y", color="#dddddd", linewidth=0.8)


FIGURES = {
    "figure2": Figure(
        "mbert_align, figure 2: improvement on the mBERT baseline by the distance of source and target language. "
        "Points are means over seeds, bars their deviation. Lower panels: the paper's numbers, by syntactic "
        "distance (URIEL). Slots are of translated commands.",
        draw_figure2,
    ),
}
