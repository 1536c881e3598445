"""Figures 3 and 4, what joint training adds, and figure 5, the confusion of B, I and O."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from crosslingua.errors import InputError
from crosslingua.io.json import read_json
from crosslingua.papers.laser_taggers.tables import CONTROLS, learnt_nothing
from crosslingua.report import figures
from crosslingua.report.figures import Figure, Inputs, colours_of, of_rows, pyplot, save

OMITTED = ("bpe_bow", *CONTROLS)  # the first as in the paper, whose values it would squeeze
BIO = "BIO"
TASK = {"fig3": "ner", "fig4": "pos"}
LABELS = {"fig3": "F1 (points)", "fig4": "accuracy (points)"}


def plot_gains(rows: pd.DataFrame, table: str, caption: str, out: list[Path]) -> None:
    """Draw the gain by joint training, a group of bars a language; hatched where scenario A learnt nothing."""
    own = rows[(rows["table"] == table) & (rows["metric"] == "gain") & ~rows["system"].isin(OMITTED)]
    if own.empty:
        raise InputError("metrics", f"no rows of the gain by joint training ({table}) to draw")
    gains = own.groupby(["system", "target"], sort=False)["value"].agg(["mean", "std"])
    systems, targets = list(own["system"].unique()), list(own["target"].unique())
    figure, axis = pyplot().subplots(figsize=(8, 4.5))
    colours = colours_of(systems)
    width, empty = 0.8 / len(systems), set(learnt_nothing(rows[rows["source"] != rows["target"]]))
    for place, system in enumerate(systems):
        x = np.arange(len(targets)) - 0.4 + (place + 0.5) * width
        found = gains.loc[system].reindex(targets)
        axis.bar(
            x, found["mean"], width * 0.9, yerr=found["std"].fillna(0), label=system,
            color=colours[system], error_kw={"elinewidth": 1, "ecolor": figures.BLACK},
            hatch=["//" if (TASK[table], system, target) in empty else "" for target in targets], edgecolor="white",
        )  # fmt: skip
    axis.axhline(0, color=figures.BLACK, linewidth=0.8)
    axis.set_xticks(range(len(targets)), targets)
    axis.set_ylabel(f"gain by joint training, {LABELS[table]}")
    axis.set_title(caption, fontsize=9, color="#444444")
    figure.legend(loc="lower center", ncols=min(len(systems), 6), frameon=False, fontsize=9)
    figure.tight_layout(rect=(0, 0.08, 1, 1))
    save(figure, out)


def summed(paths: Sequence[Path], side: str) -> np.ndarray:
    """Return the sum over comparisons of the confusion (3, 3) of one side, `first` or `second`."""
    found = [read_json(path) for path in paths]
    for path, one in zip(paths, found, strict=True):
        if side not in one:
            raise InputError(path, "no confusion of B, I and O: it compares tags that are not of spans")
    total: np.ndarray = np.sum([one[side]["bio"] for one in found], axis=0)
    return total


def draw_figure5(inputs: Inputs, settings: Mapping[str, Any], out: list[Path]) -> None:
    """Draw the confusions of the comparisons `files`, below the input `folder`; settings: files, names, caption.

    Gold is down and predicted across: counts, shaded by their share of gold.
    """
    paths = [Path(inputs["folder"][0], name) for name in settings["files"]]
    sides = zip(settings["names"], ("first", "second"), strict=True)
    matrices = {name: summed(paths, side) for name, side in sides}
    figure, ((*axes,),) = pyplot().subplots(
        1, len(matrices), figsize=(4.2 * len(matrices), 4.2), squeeze=False
    )
    for axis, (name, counts) in zip(axes, matrices.items(), strict=True):
        shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
        axis.imshow(shares, cmap="Blues", vmin=0, vmax=1)
        axis.spines[:].set_visible(True)
        for (row, column), share in np.ndenumerate(shares):
            text = f"{counts[row, column]:,}\n{100 * share:.1f} %"
            axis.text(
                column, row, text, ha="center", va="center", color="white" if share > 0.6 else figures.BLACK
            )
        axis.set_xticks(range(3), BIO)
        axis.set_yticks(range(3), BIO)
        axis.set_xlabel("predicted")
        axis.set_ylabel("gold")
        axis.set_title(name, fontsize=11)
    figure.suptitle(settings.get("caption", ""), fontsize=9, color="#444444")
    figure.tight_layout()
    save(figure, out)


_GAIN = (
    "gain of scenario B (all of the first language, a quarter of others) over A (a quarter of each). First language: "
    "gain over training on itself alone. Bars: means; lines: deviation; hatched: A learnt nothing."
)
FIGURES = {
    "figure3": Figure(f"laser_taggers, figure 3, NER: {_GAIN}", of_rows(plot_gains, "fig3")),
    "figure4": Figure(f"laser_taggers, figure 4, POS: {_GAIN}", of_rows(plot_gains, "fig4")),
    "figure5": Figure(
        "laser_taggers, figure 5: words by gold and predicted label (B, I, O), of static vectors and of LASER-top. "
        "Numbers count words; below, percent of the words of the gold label, which the shade shows too.",
        draw_figure5,
    ),
}
