"""The picture of `similarity`: distributions of cosines of translations, random pairs and rivals, by stage."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from crosslingua.report.figures import BLACK, BLUE, GREY, ORANGE, pyplot, save
from crosslingua.report.similarity import STAGES, by_panel, separability

ROWS = {True: "a word of the pair\nwas shared", False: "no word of the pair\nwas shared"}
BINS = np.linspace(-1, 1, 81)


def plot(cells: Sequence[Mapping[str, Any]], caption: str, out: Sequence[str | Path]) -> None:
    """Draw a panel for each stage and split of `cells` (of scripts/measure_similarity.py), and write `out`."""
    plt = pyplot()
    panels = by_panel(cells)
    figure, axes = plt.subplots(2, len(STAGES), figsize=(13, 7.2), sharex=True, sharey="row", squeeze=False)
    for row, shared in zip(axes, ROWS, strict=True):
        for axis, stage in zip(row, STAGES, strict=True):
            _draw(axis, *panels.get((stage, shared), np.empty((3, 0))))
        row[0].set_ylabel(f"{ROWS[shared]}\n\nshare of pairs (%)", fontsize=11)
    for letter, axis, title in zip("abc", axes[0], STAGES.values(), strict=True):
        axis.annotate(
            f"({letter}) {title}",
            (0.5, 1.32),
            xycoords="axes fraction",
            ha="center",
            fontsize=13,
            weight="bold",
        )
    for axis in axes[1]:
        axis.set_xlabel("cosine similarity", fontsize=11)
    low = min([0.0, *(panel.min() for panel in panels.values())])
    axes[0][0].set_xlim(max(-1.0, low - 0.05), 1.02)
    handles, labels = axes[1][0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="lower center", ncols=3, frameon=False, fontsize=11)
    figure.text(0.5, 0.965, caption, ha="center", fontsize=10, color="#444444")
    figure.tight_layout(rect=(0, 0.05, 1, 0.96))
    save(figure, out)


def _draw(axis, cosines: np.ndarray, randoms: np.ndarray, rivals: np.ndarray) -> None:
    """Histograms in percent of their pairs, means, and how often the translation is nearer than the other word."""
    axis.spines[["top", "right"]].set_visible(False)
    weights = np.full(len(cosines), 100 / max(1, len(cosines)))
    for values, colour, label, kind in (
        (randoms, GREY, "word and another pair's translation (random)", "stepfilled"),
        (cosines, BLUE, "word and its translation", "stepfilled"),
        (rivals, ORANGE, "word and its nearest wrong word (rival)", "step"),
    ):
        alpha = 0.6 if kind == "stepfilled" else 1
        axis.hist(
            values,
            BINS,
            weights=weights,
            color=colour,
            alpha=alpha,
            label=label,
            histtype=kind,
            linewidth=1.6,
        )
        if len(values):
            axis.axvline(values.mean(), color=colour, linewidth=1.5, linestyle="--")
    text = "no pairs"
    if len(cosines):
        text = (
            f"{len(cosines):,} pairs; the translation is nearer\n"
            f"than a random word: {100 * separability(cosines, randoms):.0f}%\n"
            f"than the nearest wrong word: {100 * (cosines > rivals).mean():.0f}%"
        )
    axis.set_title(text, fontsize=10, color=BLACK, loc="left")
