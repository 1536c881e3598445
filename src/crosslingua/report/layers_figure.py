"""A score by encoder layer, a line for each system."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from crosslingua.report.figures import BLACK, BLUE, GREEN, ORANGE, PURPLE, pyplot, save

COLOURS = (BLUE, ORANGE, GREEN, PURPLE, BLACK)
MARKERS = "osD^v"


def plot(
    curves: Mapping[str, Mapping[int, Sequence[float]]], label: str, caption: str, out: Sequence[str | Path]
) -> None:
    """Draw a line for each system over its layers, a band of deviation over seeds, and write `out`; `label` is of the
    values.
    """
    figure, axis = pyplot().subplots(figsize=(7, 4.5))
    axis.spines[["top", "right"]].set_visible(False)
    for number, (system, layers) in enumerate(curves.items()):
        _line(axis, system, layers, COLOURS[number % len(COLOURS)], MARKERS[number % len(MARKERS)])
    axis.set_xlabel("layer")
    axis.set_ylabel(label)
    axis.xaxis.get_major_locator().set_params(integer=True)
    axis.grid(axis="y", color="#dddddd", linewidth=0.8)
    axis.legend(frameon=False)
    axis.set_title(caption, fontsize=9, color="#444444")
    figure.tight_layout()
    save(figure, out)


def _line(axis, system: str, layers: Mapping[int, Sequence[float]], colour: str, marker: str) -> None:
    places = sorted(layers)
    centre = np.array([np.mean(layers[layer]) for layer in places])
    deviation = np.array([np.std(layers[layer], ddof=1) if len(layers[layer]) > 1 else 0 for layer in places])
    axis.plot(places, centre, color=colour, marker=marker, label=system)
    axis.fill_between(places, centre - deviation, centre + deviation, color=colour, alpha=0.15, linewidth=0)
