"""Pictures of lines: a score by encoder layer, loss by step of pre-training, and a score by epoch of translation."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from crosslingua.errors import InputError
from crosslingua.io.json import read_json
from crosslingua.report.figures import AMBER, BLACK, BLUE, GREEN, GREY, ORANGE, PURPLE, SKY, pyplot, save

OF_LAYERS = (BLUE, ORANGE, GREEN, PURPLE, BLACK)
OF_LOSSES = (BLUE, ORANGE, GREEN, PURPLE, SKY, AMBER, BLACK)
OF_EPOCHS = (BLUE, ORANGE, GREEN, PURPLE, AMBER, SKY)
MARKERS = "osD^v"
STYLES = ("-", "--", ":")
Curves = Mapping[str, Mapping[int, Sequence[float]]]  # system -> layer or epoch -> values, one a seed


def plot_layers(curves: Curves, label: str, caption: str, out: Sequence[str | Path]) -> None:
    """Draw a line for each system over its layers, a band of deviation over seeds, and write `out`; `label` is of the
    values.
    """
    figure, axis = pyplot().subplots(figsize=(7, 4.5))
    axis.spines[["top", "right"]].set_visible(False)
    for number, (system, layers) in enumerate(curves.items()):
        _line(axis, system, layers, OF_LAYERS[number % len(OF_LAYERS)], MARKERS[number % len(MARKERS)])
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


def read_curve(folder: str | Path) -> dict[str, Any]:
    """Return a run's loss curve from training.json. Raises InputError if the folder holds none."""
    path = Path(folder) / "training.json"
    try:
        return read_json(path)["loss_curve"]
    except (KeyError, TypeError):
        raise InputError(path, "holds no loss_curve", remedy="give a folder that pretrain.py wrote") from None


def plot_losses(
    curves: Mapping[str, Mapping[str, Sequence[float]]], caption: str, out: Sequence[str | Path]
) -> None:
    """Draw the terms of each run's loss against the step: a panel for each term, a line for each run that has it."""
    terms = list(
        dict.fromkeys(term for curve in curves.values() for term in curve if term not in ("step", "loss"))
    )
    figure, panels = pyplot().subplots(
        1, len(terms), figsize=(4.4 * len(terms), 4.4), layout="constrained", squeeze=False
    )
    for axes, term in zip(panels[0], terms, strict=True):
        runs = {name: curve for name, curve in curves.items() if term in curve}
        for number, (name, curve) in enumerate(runs.items()):
            style = {
                "color": OF_LOSSES[number % len(OF_LOSSES)],
                "linestyle": STYLES[number // len(OF_LOSSES) % 3],
            }
            axes.plot(curve["step"], curve[term], linewidth=1.2, label=name, **style)
        axes.set(title=term, xlabel="step")
        axes.spines[["top", "right"]].set_visible(False)
        axes.legend(fontsize="small", frameon=False)
    panels[0][0].set_ylabel("loss (nats)")
    if caption:
        figure.suptitle(caption, fontsize=10, color="#444444")
    save(figure, out)


def plot_epochs(
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
    colours = {system: OF_EPOCHS[i % len(OF_EPOCHS)] for i, system in enumerate(systems)}
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
