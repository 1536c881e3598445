"""The picture of `hubness`: the distribution of N_k for a few systems, and its skewness for all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from crosslingua.report.figures import AMBER, BLUE, GREEN, GREY, ORANGE, PURPLE, pyplot, save

COLOURS = {"joint": ORANGE, "joint_vr": AMBER}
FAMILIES = {
    BLUE: "alignment of independent vectors",
    ORANGE: "joint training",
    AMBER: "joint + reallocation",
    PURPLE: "joint + refinement",
    GREEN: "joint + both (joint_align)",
    GREY: "supervised joint training",
}
SUPERVISED_JOINT = ("duong", "joint_replace")
# One line a family: the systems that share everything but the step in question.
LINES = ("procrustes", "joint", "joint_vr", "joint_ar_procrustes", "joint_align_procrustes", "duong")
MARKERS = dict(zip(LINES, "osD^vP", strict=True))

Cells = Sequence[Mapping[str, Any]]


def colour(system: str) -> str:
    """Return the colour of a system's family."""
    if system.startswith("joint_align"):
        return GREEN
    if system.startswith("joint_ar"):
        return PURPLE
    return GREY if system in SUPERVISED_JOINT else COLOURS.get(system, BLUE)


def at_least(cells: Cells, numbers: np.ndarray) -> np.ndarray:
    """Return the percentage of target words with N_k >= each of `numbers`, mean over the seeds of `cells`."""
    shares = []
    for cell in cells:
        values, words = np.array(cell["n"]), np.array(cell["words"])
        shares.append([100 * words[values >= number].sum() / words.sum() for number in numbers])
    return np.mean(shares, axis=0)


def plot(systems: Mapping[str, Cells], caption: str, out: Sequence[str | Path]) -> None:
    """Draw the cells (one a seed) of every system of scripts/measure_hubness.py, and write `out`."""
    plt = pyplot()
    height = max(5.2, 1.6 + 0.36 * len(systems))
    figure, (left, right) = plt.subplots(1, 2, figsize=(13, height), width_ratios=(1.15, 1))
    k = next(iter(systems.values()))[0]["k"]
    _lines(left, systems, k)
    _bars(right, systems, k)
    for axis in (left, right):
        axis.spines[["top", "right"]].set_visible(False)
    used = {colour(name) for name in systems}
    handles = [_patch(shade, text) for shade, text in FAMILIES.items() if shade in used]
    figure.legend(handles=handles, frameon=False, fontsize=10, loc="lower center", ncols=len(handles))
    figure.text(0.5, 0.955, caption, ha="center", fontsize=10, color="#444444")
    figure.tight_layout(rect=(0, 0.06, 1, 0.95))
    save(figure, out)


def _lines(axis, systems: Mapping[str, Cells], k: int) -> None:
    """Share of target words that at least so many source words have among their neighbours, doubly logarithmic."""
    shown = {name: systems[name] for name in LINES if name in systems}
    largest = max(max(cell["n"]) for cells in shown.values() for cell in cells) if shown else 1
    numbers = np.unique(np.round(np.geomspace(1, max(2, largest), 40)).astype(int))
    for name, cells in shown.items():
        shares = at_least(cells, numbers)
        seen = shares > 0
        axis.plot(
            numbers[seen], shares[seen], color=colour(name), marker=MARKERS[name],
            markevery=4, markersize=5, linewidth=1.8, label=name,
        )  # fmt: skip
    axis.set(xscale="log", yscale="log")
    axis.xaxis.set_major_formatter("{x:g}")
    axis.yaxis.set_major_formatter("{x:g}")
    axis.set_xlabel(f"n: source words that have the target word among their {k} nearest", fontsize=11)
    axis.set_ylabel(f"share of target words with $N_{{{k}}} \\geq n$ (%)", fontsize=11)
    axis.set_title(f"(a) how often target words are neighbours ($N_{{{k}}}$)", fontsize=12)
    if shown:
        axis.legend(frameon=False, fontsize=10, loc="lower left")


def _bars(axis, systems: Mapping[str, Cells], k: int) -> None:
    """Skewness of every system: a bar for the mean over seeds, a dot for each seed."""
    names = list(systems)[::-1]
    for row, name in enumerate(names):
        values = [cell["skewness"] for cell in systems[name]]
        axis.barh(row, np.mean(values), color=colour(name), alpha=0.75)
        axis.scatter(values, [row] * len(values), s=14, color="#222222", zorder=3)
        end = max(0.0, np.mean(values), *values)
        axis.annotate(
            f"{np.mean(values):.2f}",
            (end, row),
            xytext=(6, 0),
            textcoords="offset points",
            va="center",
            fontsize=10,
        )
    axis.margins(x=0.12)
    axis.axvline(0, color="#222222", linewidth=0.8)
    axis.set_yticks(range(len(names)), [_label(name, systems[name]) for name in names], fontsize=10)
    axis.set_xlabel(f"skewness of $N_{{{k}}}$ (0: no hubs); dots are seeds", fontsize=11)
    axis.set_title("(b) hubness of every system", fontsize=12)


def _label(name: str, cells: Cells) -> str:
    """Return a system's name, marked where its map is degenerate in some of the runs."""
    failed = sum(cell.get("degenerate", False) for cell in cells)
    return f"{name} †{failed}/{len(cells)}" if failed else name


def _patch(shade: str, text: str):
    from matplotlib.patches import Patch

    return Patch(color=shade, alpha=0.75, label=text)
