"""Loss curves of pre-training runs in one picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from crosslingua.errors import InputError
from crosslingua.io.json import read_json
from crosslingua.report.figures import AMBER, BLACK, BLUE, GREEN, ORANGE, PURPLE, SKY, pyplot, save

COLOURS = (BLUE, ORANGE, GREEN, PURPLE, SKY, AMBER, BLACK)


def read_curve(folder: str | Path) -> dict[str, Any]:
    """Return a run's loss curve from training.json. Raises InputError if the folder holds none."""
    path = Path(folder) / "training.json"
    try:
        return read_json(path)["loss_curve"]
    except (KeyError, TypeError):
        raise InputError(path, "holds no loss_curve", remedy="give a folder that pretrain.py wrote") from None


def plot_curves(curves: Mapping[str, Mapping[str, Sequence[float]]], out: Sequence[str | Path]) -> None:
    """Draw each run's loss against the step: the whole solid, its terms in other lines where there are several."""
    figure, axes = pyplot().subplots(figsize=(6, 4), layout="constrained")
    axes.set(xlabel="step", ylabel="loss (nats)")
    for number, (name, curve) in enumerate(curves.items()):
        colour = COLOURS[number % len(COLOURS)]
        axes.plot(curve["step"], curve["loss"], color=colour, label=name)
        terms = [term for term in curve if term not in ("step", "loss")]
        for term, style in zip(terms, ("--", ":", "-."), strict=False) if len(terms) > 1 else ():
            axes.plot(curve["step"], curve[term], style, color=colour, linewidth=1, label=f"{name}: {term}")
    axes.legend(fontsize="small")
    save(figure, out)
