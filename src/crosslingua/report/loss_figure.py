"""Loss curves of pre-training runs in one picture."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from crosslingua.errors import InputError
from crosslingua.io.json import read_json
from crosslingua.report.figures import AMBER, BLACK, BLUE, GREEN, ORANGE, PURPLE, SKY, pyplot, save

COLOURS = (BLUE, ORANGE, GREEN, PURPLE, SKY, AMBER, BLACK)
STYLES = ("-", "--", ":")


def read_curve(folder: str | Path) -> dict[str, Any]:
    """Return a run's loss curve from training.json. Raises InputError if the folder holds none."""
    path = Path(folder) / "training.json"
    try:
        return read_json(path)["loss_curve"]
    except (KeyError, TypeError):
        raise InputError(path, "holds no loss_curve", remedy="give a folder that pretrain.py wrote") from None


def plot(
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
            style = {"color": COLOURS[number % len(COLOURS)], "linestyle": STYLES[number // len(COLOURS) % 3]}
            axes.plot(curve["step"], curve[term], linewidth=1.2, label=name, **style)
        axes.set(title=term, xlabel="step")
        axes.spines[["top", "right"]].set_visible(False)
        axes.legend(fontsize="small", frameon=False)
    panels[0][0].set_ylabel("loss (nats)")
    if caption:
        figure.suptitle(caption, fontsize=10, color="#444444")
    save(figure, out)
