"""Learning curves of translation systems: a score by training epoch, a band over seeds."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from crosslingua.report.figures import AMBER, BLUE, GREEN, GREY, ORANGE, PURPLE, SKY, pyplot, save

COLOURS = (BLUE, ORANGE, GREEN, PURPLE, AMBER, SKY)
Curves = Mapping[str, Mapping[int, Sequence[float]]]  # system -> epoch -> values, one a seed


def plot(
    panels: Mapping[str, Curves],
    starts: Mapping[str, Mapping[str, float]],
    lines: Mapping[str, Mapping[str, float]],
    label: str,
    caption: str,
    out: Sequence[str | Path],
) -> None:
    """Draw a panel for each of `panels`, two a row: means over seeds, with their range as a band; write each of
    `out`.

    `starts` are heights at epoch 0 by panel and system, `lines` dashed ones by panel and name.
    """
    rows = -(-len(panels) // 2)
    figure, axes = pyplot().subplots(
        rows, 2, figsize=(10, 3.9 * rows + 0.3), sharex=True, squeeze=False, layout="constrained"
    )
    systems = list(dict.fromkeys(system for curves in panels.values() for system in curves))
    colours = {system: COLOURS[i % len(COLOURS)] for i, system in enumerate(systems)}
    for number, (title, curves) in enumerate(panels.items()):
        axis = axes.flat[number]
        for system, epochs in curves.items():
            _curve(axis, system, epochs, colours[system])
        for system, height in starts.get(title, {}).items():
            axis.plot(
                0, height, color=colours[system], marker="D", markersize=5, fillstyle="none", linestyle=""
            )
        for i, (name, height) in enumerate(lines.get(title, {}).items()):
            axis.axhline(height, color=GREY, linestyle=("--", ":", "-.")[i % 3], linewidth=1.2, label=name)
        axis.set(title=f"({chr(ord('a') + number)}) {title}", xlabel="epoch", ylabel=label)
        axis.spines[["top", "right"]].set_visible(False)
        axis.grid(axis="y", color="#dddddd", linewidth=0.8)
        axis.xaxis.get_major_locator().set_params(integer=True)
    for axis in list(axes.flat)[len(panels) :]:
        axis.remove()
    handles, labels = axes.flat[0].get_legend_handles_labels()
    figure.legend(
        handles, labels, loc="outside lower center", ncols=len(labels), frameon=False, fontsize="small"
    )
    figure.suptitle(caption, fontsize=9, color="#444444")
    save(figure, out)


def _curve(axis, system: str, epochs: Mapping[int, Sequence[float]], colour: str) -> None:
    places = sorted(epochs)
    values = [epochs[place] for place in places]
    axis.plot(places, [np.mean(v) for v in values], color=colour, marker="o", markersize=3, label=system)
    low, high = [min(v) for v in values], [max(v) for v in values]
    axis.fill_between(places, low, high, color=colour, alpha=0.18, linewidth=0)
