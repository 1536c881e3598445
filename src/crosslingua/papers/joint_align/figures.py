"""Figure 1 with similarity and hubness behind it, and figure 2, translation by epoch."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from crosslingua.io.bitext import read_dictionary
from crosslingua.io.decode import decoded_lines
from crosslingua.io.json import read_json
from crosslingua.io.vectors import read_vectors
from crosslingua.metrics import read_rows
from crosslingua.papers.joint_align import curve, figure2
from crosslingua.report import figures, pca
from crosslingua.report.figures import Draw, Figure, Inputs, colour_of_vectors, finish, of_rows, pyplot
from crosslingua.report.similarity import STAGES, by_panel, separability

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FAMILIES = {
    figures.BLUE: "alignment of independent vectors",
    figures.ORANGE: "joint training",
    figures.AMBER: "joint + reallocation",
    figures.PURPLE: "joint + refinement",
    figures.GREEN: "joint + both (joint_align)",
    figures.GREY: "supervised joint training",
}
# One line a family: the systems that share everything but the step in question.
LINES = ("procrustes", "joint", "joint_vr", "joint_ar_procrustes", "joint_align_procrustes", "duong")
MARKERS = dict(zip(LINES, "osD^vP", strict=True))

Cells = Sequence[Mapping[str, Any]]


def at_least(cells: Cells, numbers: np.ndarray) -> np.ndarray:
    """Return the percentage of target words with N_k >= each of `numbers`, mean over the seeds of `cells`."""
    shares = []
    for cell in cells:
        values, words = np.array(cell["n"]), np.array(cell["words"])
        shares.append([100 * words[values >= number].sum() / words.sum() for number in numbers])
    mean: np.ndarray = np.mean(shares, axis=0)
    return mean


def plot_hubness(systems: Mapping[str, Cells], caption: str, out: Sequence[str | Path]) -> None:
    """Draw the cells (one a seed) of every system of scripts/measure_hubness.py, and write `out`."""
    from matplotlib.patches import Patch

    height = max(5.2, 1.6 + 0.36 * len(systems))
    figure, (left, right) = pyplot().subplots(1, 2, figsize=(13, height), width_ratios=(1.15, 1))
    k = next(iter(systems.values()))[0]["k"]
    _lines(left, systems, k)
    _bars(right, systems, k)
    used = {colour_of_vectors(name) for name in systems}
    shown = {shade: text for shade, text in FAMILIES.items() if shade in used}
    handles = [Patch(color=shade, alpha=0.75, label=text) for shade, text in shown.items()]
    finish(figure, caption, out, foot=0.06, height=0.955, handles=handles, fontsize=10, ncols=len(handles))


def _lines(axis: "Axes", systems: Mapping[str, Cells], k: int) -> None:
    """Share of target words that at least so many source words have among their neighbours, doubly logarithmic."""
    shown = {name: systems[name] for name in LINES if name in systems}
    largest = max(max(cell["n"]) for cells in shown.values() for cell in cells) if shown else 1
    numbers = np.unique(np.round(np.geomspace(1, max(2, largest), 40)).astype(int))
    for name, cells in shown.items():
        shares = at_least(cells, numbers)
        seen = shares > 0
        axis.plot(
            numbers[seen], shares[seen], color=colour_of_vectors(name), marker=MARKERS[name],
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


def _bars(axis: "Axes", systems: Mapping[str, Cells], k: int) -> None:
    """Skewness of every system: a bar for the mean over seeds, a dot for each seed."""
    names, labels = list(systems)[::-1], []
    for row, name in enumerate(names):
        values = [cell["skewness"] for cell in systems[name]]
        axis.barh(row, np.mean(values), color=colour_of_vectors(name), alpha=0.75)
        axis.scatter(values, [row] * len(values), s=14, color="#222222", zorder=3)
        end = max(0.0, np.mean(values), *values)
        style = {"xytext": (6, 0), "textcoords": "offset points", "va": "center", "fontsize": 10}
        axis.annotate(f"{np.mean(values):.2f}", (end, row), **style)
        failed = sum(cell.get("degenerate", False) for cell in systems[name])  # maps
        labels.append(f"{name} †{failed}/{len(values)}" if failed else name)
    axis.margins(x=0.12)
    axis.axvline(0, color="#222222", linewidth=0.8)
    axis.set_yticks(range(len(names)), labels, fontsize=10)
    axis.set_xlabel(f"skewness of $N_{{{k}}}$ (0: no hubs); dots are seeds", fontsize=11)
    axis.set_title("(b) hubness of every system", fontsize=12)


ROWS = {True: "a word of the pair\nwas shared", False: "no word of the pair\nwas shared"}
BINS = np.linspace(-1, 1, 81)


def plot_similarity(cells: Sequence[Mapping[str, Any]], caption: str, out: Sequence[str | Path]) -> None:
    """Draw a panel for each stage and split of `cells` (of scripts/measure_similarity.py), and write `out`."""
    panels, size = by_panel(cells), (13, 7.2)
    figure, axes = pyplot().subplots(2, len(STAGES), figsize=size, sharex=True, sharey="row", squeeze=False)
    for row, shared in zip(axes, ROWS, strict=True):
        for axis, stage in zip(row, STAGES, strict=True):
            _draw(axis, *panels.get((stage, shared), np.empty((3, 0))))
        row[0].set_ylabel(f"{ROWS[shared]}\n\nshare of pairs (%)", fontsize=11)
    for letter, axis, title in zip("abc", axes[0], STAGES.values(), strict=True):
        style = {"xycoords": "axes fraction", "ha": "center", "fontsize": 13, "weight": "bold"}
        axis.annotate(f"({letter}) {title}", (0.5, 1.32), **style)
    for axis in axes[1]:
        axis.set_xlabel("cosine similarity", fontsize=11)
    low = min([0.0, *(panel.min() for panel in panels.values())])
    axes[0][0].set_xlim(max(-1.0, low - 0.05), 1.02)
    finish(figure, caption, out, foot=0.05, head=0.96, of=axes[1][0], ncols=3, fontsize=11)


def _draw(axis: "Axes", cosines: np.ndarray, randoms: np.ndarray, rivals: np.ndarray) -> None:
    """Histograms in percent of their pairs, means, and how often the translation is nearer than the other word."""
    weights = np.full(len(cosines), 100 / max(1, len(cosines)))
    for values, colour, label, kind in (
        (randoms, figures.GREY, "word and another pair's translation (random)", "stepfilled"),
        (cosines, figures.BLUE, "word and its translation", "stepfilled"),
        (rivals, figures.ORANGE, "word and its nearest wrong word (rival)", "step"),
    ):
        style = {"color": colour, "alpha": 0.6 if kind == "stepfilled" else 1, "histtype": kind}
        axis.hist(values, BINS, weights=weights, label=label, linewidth=1.6, **style)
        if len(values):
            axis.axvline(values.mean(), color=colour, linewidth=1.5, linestyle="--")
    text = "no pairs"
    if len(cosines):
        text = (
            f"{len(cosines):,} pairs; the translation is nearer\n"
            f"than a random word: {100 * separability(cosines, randoms):.0f}%\n"
            f"than the nearest wrong word: {100 * (cosines > rivals).mean():.0f}%"
        )
    axis.set_title(text, fontsize=10, color=figures.BLACK, loc="left")


def draw_figure1(inputs: Inputs, settings: Mapping[str, Any], out: list[Path]) -> None:
    """Draw the `source` and `target` vectors of the three stages, with their `shared` words (one a line).

    Settings: languages (names), words (of each, default 1000), pairs (labelled, default 8), caption.
    """
    files = zip(STAGES.values(), inputs["source"], inputs["target"], inputs["shared"], strict=True)
    panels = [
        pca.Panel(title, read_vectors(source), read_vectors(target), frozenset(decoded_lines(shared)))
        for title, source, target, shared in files
    ]
    pairs = pca.choose_pairs(panels[-1], read_dictionary(inputs["dictionary"][0]), settings.get("pairs", 8))
    languages, most = tuple(settings["languages"]), settings.get("words", 1000)
    pca.plot(panels, pairs, languages, most, settings.get("caption", ""), out)


def of_measured(plot: Callable[..., None]) -> Draw:
    """Return a drawing of `measured`, the JSON of a script, by `plot(content, caption, out)`; setting: caption."""
    return lambda inputs, settings, out: plot(
        read_json(inputs["measured"][0]), settings.get("caption", ""), out
    )


def draw_figure2(inputs: Inputs, settings: Mapping[str, Any], out: list[Path]) -> None:
    """Draw panels (a) and (b) of figure 2, of metrics `rows`: a direction each.

    Settings: systems (whose curves are drawn), start (what stands before each), compared (lines), caption.
    """
    rows = read_rows(inputs["rows"])
    panels = figure2.curves(rows, settings["systems"])
    found = figure2.chosen(rows)
    starts, lines = (
        {
            panel: {name: found[panel, system] for name, system in named.items() if (panel, system) in found}
            for panel in panels
        }
        for named in (settings["start"], settings["compared"])
    )
    figures.plot_epochs(panels, starts, lines, "BLEU", settings.get("caption", ""), out)


FIGURES = {
    "figure1": Figure(
        "joint_align, figure 1: principal components of the jointly trained vectors (a), after vocabulary "
        "reallocation (b), and after alignment refinement (c), on the basis of (a). Lines join translations.",
        draw_figure1,
    ),
    "similarity": Figure(
        "Why reallocation helps: cosines of test words with their translation (blue), another pair's translation "
        "(grey) and nearest wrong word (orange). Upper row: pairs with a shared word; lower row: others. Watch "
        "orange move left in (b), and blue in (c).",
        of_measured(lambda measured, *drawn: plot_similarity(measured["cells"], *drawn)),
    ),
    "hubness": Figure(
        "Hubness. (a) Share of target words among the 10 nearest neighbours of at least n source words; long tails "
        "are hubs. (b) Skewness of this distribution by system (Radovanović et al. 2010). †: runs with a "
        "degenerate map.",
        of_measured(plot_hubness),
    ),
    "figure2": Figure(
        "joint_align, figure 2 (a) and (b): BLEU on the test set by epoch, without parallel text. Lines are means, "
        "bands the range over seeds. Diamond: word-by-word translation before training. Grey line: the same model "
        "trained on sentence pairs.",
        draw_figure2,
    ),
    "curve": Figure(
        "P@1 by the share of word types in the training dictionary, mean and deviation over seeds. Solid: training "
        "with the dictionary. Dashed: alignment of separate vectors. Dotted: joint training with refinement. "
        "Vertical line: training overtakes alignment.",
        of_rows(curve.plot),
    ),
}
