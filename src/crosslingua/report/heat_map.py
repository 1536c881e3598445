"""Panels of numbers as colours, lines down and columns across, one scale for all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from crosslingua.report.figures import pyplot, save

MISSING = "#eeeeee"


def plot(
    panels: Mapping[str, np.ndarray],
    lines: Sequence[str],
    columns: Sequence[str],
    label: str,
    caption: str,
    out: Sequence[str | Path],
) -> None:
    """Draw a panel (lines, columns) of percentages for each name; NaN, what there is no data for, is grey.

    `label` says what the values are; writes each of `out`.
    """
    wide = min(len(panels), 3)
    tall = -(-len(panels) // wide)
    size = (1.8 + wide * (0.9 + 0.52 * len(columns)), 1.2 + tall * (0.9 + 0.32 * len(lines)))
    figure, axes = pyplot().subplots(tall, wide, figsize=size, squeeze=False, layout="constrained")
    colours = pyplot().get_cmap("viridis").copy()
    colours.set_bad(MISSING)
    for axis, (name, values) in zip(axes.flat, panels.items(), strict=False):
        picture = axis.imshow(values, cmap=colours, vmin=0, vmax=100, aspect="auto")
        _label(axis, name, lines, columns)
        _numbers(axis, values)
    for axis in list(axes.flat)[len(panels) :]:
        axis.set_axis_off()
    figure.colorbar(picture, ax=axes, label=label, shrink=0.9)
    figure.suptitle(caption, fontsize=9, color="#444444")
    save(figure, out)


def _label(axis, name: str, lines: Sequence[str], columns: Sequence[str]) -> None:
    axis.set_title(name, fontsize=10)
    axis.set_xticks(range(len(columns)), columns, rotation=45, ha="right", fontsize=8)
    axis.set_yticks(range(len(lines)), lines, fontsize=8)
    axis.tick_params(length=0)


def _numbers(axis, values: np.ndarray) -> None:
    """Write each number where it stands; light on dark."""
    for (line, column), value in np.ndenumerate(values):
        text = "–" if np.isnan(value) else f"{value:.0f}"
        colour = "#222222" if np.isnan(value) or value > 60 else "#ffffff"
        axis.text(column, line, text, ha="center", va="center", fontsize=8, color=colour)
