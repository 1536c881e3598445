"""The dictionary curve: every supervised system under dictionaries of several sizes, and where lines cross.

The paper has one size, 2.5 % of the word types. At which size does training with the dictionary overtake alignment?
"""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from crosslingua.metrics import conditions
from crosslingua.papers.joint_align.convention import marked_grid
from crosslingua.report.figures import colour_of_vectors, finish, pyplot
from crosslingua.report.tables import Grid, Published, Table, grid

if TYPE_CHECKING:
    from matplotlib.axes import Axes

IN_TRAINING = ("duong", "joint_replace")  # see the dictionary in training
ALIGNMENT = ("procrustes", "iterative_norm", "geomm", "rcsls")  # map independent vectors by it
CAPTION = (
    "P@1 in percent (CSLS, the rule of the paper's program), mean ± standard deviation over seeds. Columns: share of "
    "the source language's word types, most frequent first, that the training dictionary holds (published: 2.5 %)."
)
REMARKS = (
    "Settings are chosen on validation translations, for each size. Validation and test words never train. †: maps "
    "that could not be learnt because the dictionary holds shared words only; the mean counts what they measured."
)
OVERTAKES = (
    "Share of types (%) from which a system that sees the dictionary in training is above every mapping of separate "
    "vectors. Dash: at none of the shares."
)
MARKS = "osD^vP*X<>hd"


def chosen(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of the curve, with the columns pair and share (percent of types)."""
    rows = rows[(rows["table"] == "curve") & (rows["metric"] == "p_at_1")]
    told = rows["signature"].map(conditions)
    kept = told.map(lambda said: said["oov"]).eq("paper") & rows["signature"].str.startswith("csls|")
    share = told.map(lambda said: 100 * float(said["share"]))
    return rows.assign(pair=rows["source"] + "-" + rows["target"], share=share)[kept]


def grids(rows: pd.DataFrame, published: Published) -> Iterator[Grid]:
    """Yield a grid a language pair, a column a share; then where training overtakes alignment."""
    rows = chosen(rows).sort_values("share", kind="stable")
    rows = rows.assign(column=rows["share"].map("{:g} %".format))
    for pair, own in rows.groupby("pair", sort=False):
        yield marked_grid(f"{pair}: P@1 by the share of types in the dictionary.", own)
    found = [
        {"system": system, "column": pair, "value": overtaking(own, system)}
        for system in IN_TRAINING
        for pair, own in rows.groupby("pair", sort=False)
        if system in set(own["system"])
    ]
    crossing = pd.DataFrame(found, columns=["system", "column", "value"])
    if crossing["value"].notna().any():
        yield grid(OVERTAKES, crossing, bold=False)


def overtaking(rows: pd.DataFrame, system: str) -> float:
    """Return the share (%) from which a system's mean stays above every mapping of separate vectors.

    Between two shares lines cross on the logarithm. NaN if it is not above at the end, or no alignment was run.
    """
    means = rows.groupby(["share", "system"])["value"].mean().unstack().sort_index()
    others = [name for name in ALIGNMENT if name in means]
    if not others or system not in means:
        return float("nan")
    lead = (means[system] - means[others].max(axis=1)).to_numpy()
    shares = means.index.to_numpy(dtype=float)
    if not lead[-1] > 0:
        return float("nan")
    below = np.flatnonzero(~(lead > 0))
    if not below.size:
        return float(shares[0])
    i = below[-1]
    part = -lead[i] / (lead[i + 1] - lead[i])
    return float(np.exp(np.log(shares[i]) + part * np.log(shares[i + 1] / shares[i])))


TABLE = Table(
    "joint_align, dictionary curve: precision at 1 by the size of the training dictionary",
    CAPTION,
    grids,
    notes=REMARKS,
)


def plot(rows: pd.DataFrame, caption: str, out: list[Path]) -> None:
    """Draw metrics rows, a panel a language pair."""
    rows = chosen(rows)
    pairs = list(dict.fromkeys(rows["pair"]))
    width = 1.6 + 4.4 * len(pairs)
    figure, axes = pyplot().subplots(1, len(pairs), figsize=(width, 5.2), sharey=True, squeeze=False)
    for axis, pair in zip(axes[0], pairs, strict=True):
        _panel(axis, rows[rows["pair"] == pair], pair)
    axes[0][0].set_ylabel("P@1, %")
    columns = int(width / 2.2)  # inches of a name and its mark
    foot = 0.03 + 0.04 * -(-len(axes[0][0].get_legend_handles_labels()[1]) // columns)
    finish(figure, caption, out, foot=foot, of=axes[0][0], fontsize=9, ncols=columns)


def _panel(axis: "Axes", rows: pd.DataFrame, pair: str) -> None:
    systems = list(dict.fromkeys(rows["system"]))
    for number, system in enumerate(systems):
        values = rows[rows["system"] == system].groupby("share")["value"].agg(["mean", "std"])
        style = "-" if system in IN_TRAINING else "--" if system in ALIGNMENT else ":"
        axis.errorbar(
            values.index, values["mean"], yerr=values["std"].fillna(0), label=system, color=colour_of_vectors(system),
            linestyle=style, linewidth=2.2 if system in IN_TRAINING else 1.3, marker=MARKS[number % len(MARKS)],
            markersize=4, capsize=2,
        )  # fmt: skip
    for system in IN_TRAINING:
        where = overtaking(rows, system)
        if np.isfinite(where):
            axis.axvline(where, color=colour_of_vectors(system), linewidth=1, alpha=0.5)
    shares = sorted(rows["share"].unique())
    axis.set_xscale("log")
    axis.set_xticks(shares, [f"{share:g}" for share in shares])
    axis.minorticks_off()
    axis.set_title(pair, fontsize=11)
    axis.set_xlabel("types in the dictionary, %")
