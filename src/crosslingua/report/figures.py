"""What figures share: colours, of systems too, fonts, files that repeat; pictures of dots and lines."""

import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from itertools import cycle
from pathlib import Path
from typing import Any

import numpy as np

from crosslingua.errors import ConfigError, InputError
from crosslingua.io.atomic import atomic_path
from crosslingua.io.json import read_json
from crosslingua.metrics import read_rows

# Okabe and Ito's palette: distinct with any colour vision.
BLUE, ORANGE, GREEN, PURPLE, GREY, SKY, AMBER, BLACK = (
    "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#999999", "#56B4E9", "#E69F00", "#222222",
)  # fmt: skip

Inputs = Mapping[str, list[Path]]  # files by their part in a figure
Draw = Callable[[Inputs, Mapping[str, Any], list[Path]], None]


@dataclass(frozen=True)
class Figure:
    """A figure of a paper: what the results page says of it, and `draw(inputs, settings, out)`.

    `inputs` are files by their part in it and `settings` anything else; `out` are pictures to write (.png, .svg).
    """

    caption: str
    draw: Draw


def of_rows(plot: Callable[..., None], *more: Any) -> Draw:
    """Return a drawing of metrics `rows` by `plot(rows, *more, caption, out)`; setting: caption."""
    return lambda inputs, settings, out: plot(
        read_rows(inputs["rows"]), *more, settings.get("caption", ""), out
    )


def pyplot() -> Any:
    """Return matplotlib's pyplot, drawing into files only, the same file for the same input. Axes are open above and
    on the right.
    """
    import matplotlib

    matplotlib.use("Agg")
    matplotlib.rcParams |= {
        "svg.hashsalt": "crosslingua",
        "axes.spines.top": False,
        "axes.spines.right": False,
    }
    from matplotlib import pyplot as plt

    return plt


def save(figure, out: Sequence[str | Path], dpi: int = 130) -> None:
    """Write `figure` to each of `out`, without a date, and close it. ConfigError for a suffix of no format."""
    formats = figure.canvas.get_supported_filetypes()
    for path in out:
        if Path(path).suffix.lower().removeprefix(".") not in formats:
            raise ConfigError(f"--out {path}: the suffix must name a format: .{', .'.join(sorted(formats))}")
    for path in out:
        with atomic_path(path) as temporary:
            metadata = {"Date": None} if Path(path).suffix == ".svg" else None
            figure.savefig(temporary, dpi=dpi, metadata=metadata)
    pyplot().close(figure)


def finish(
    figure,
    caption: str,
    out: Sequence[str | Path],
    *,
    foot: float,
    head: float = 0.95,
    height: float = 0.965,
    of=None,
    **legend: Any,
) -> None:
    """Write a legend (`handles`, or handles of the axes `of`) below, the caption above, and save."""
    if of is not None:
        legend["handles"], legend["labels"] = of.get_legend_handles_labels()
    figure.legend(loc="lower center", frameon=False, **legend)
    figure.text(0.5, height, caption, ha="center", fontsize=10, color="#444444")
    figure.tight_layout(rect=(0, foot, 1, head))
    save(figure, out)


DEFAULT = "DejaVu Sans"
PLACEHOLDERS = "Last Resort"  # matplotlib's own font, which has a box for every character


def families_for(words: Iterable[str]) -> list[str]:
    """Return font families to try in order, so that every character which an installed font has is drawn."""
    families = [DEFAULT]
    left = _characters("".join(words)) - _covered(DEFAULT)
    for family in sorted({font.name for font in _upright()}) if left else ():
        if found := not family.startswith(PLACEHOLDERS) and left & _covered(family):
            families.append(family)
            left -= found
    return families


def undrawable(word: str, families: Iterable[str]) -> set[str]:
    """Return the characters of `word` that none of `families` has."""
    return _characters(word).difference(*map(_covered, families))


def _characters(text: str) -> set[str]:
    """All but spaces and invisible formatting characters."""
    return {c for c in text if not c.isspace() and unicodedata.category(c) != "Cf"}


def _upright():
    """The installed fonts that are neither slanted nor bold."""
    from matplotlib.font_manager import fontManager

    return [font for font in fontManager.ttflist if font.style == "normal" and font.weight in (400, "normal")]


@cache
def _covered(family: str) -> frozenset[str]:
    from matplotlib.font_manager import get_font

    found: set[str] = set()
    for font in _upright():
        if font.name == family:
            with suppress(RuntimeError):  # FreeType cannot read it
                found.update(map(chr, get_font(font.fname).get_charmap()))
    return frozenset(found)


# The colours of systems, the same in all pictures; other systems take turns.
OF_SYSTEMS = {
    **dict.fromkeys(("mbert", "mlm", "bert", "align", "norm_rotate_dict"), BLUE),
    **dict.fromkeys(("xlm", "mbert_feature", "joint_vr", "finetune_tgt_to_src"), AMBER),
    **dict.fromkeys(("xlm_align", "align_mlm", "joint_align", "laser_elmo", "rotate_parallel"), GREEN),
    **dict.fromkeys(("xlmr", "laser_top", "rotate_dict"), SKY),
    **dict.fromkeys(("dict_mlm", "lstm_no_pretraining", "joint_ar", "norm_rotate_parallel"), PURPLE),
    **dict.fromkeys(("joint", "bpe_gru", "finetune_src_to_tgt"), ORANGE),
    **dict.fromkeys(("mt5", "duong", "joint_replace", "bpe_bow"), GREY),
    "fast_align": BLACK,
}
VECTORS = ("joint_align", "joint_ar", "joint_vr")  # families of systems: joint_ar_rcsls, joint_ar_geomm, ...
MARKERS = "osD^vPX"  # of systems in turn
IN_TURN = (BLUE, ORANGE, GREEN, PURPLE, SKY, AMBER, GREY, BLACK)


def colour_of_vectors(system: str) -> str:
    """Return the colour of the family of a system of word vectors; all that map separate vectors are one."""
    return OF_SYSTEMS.get(next((family for family in VECTORS if system.startswith(family)), system), BLUE)


def colours_of(systems: Iterable[str]) -> dict[str, str]:
    """Return a colour for each system (`mlm`, or a single run or use, `mlm.trans`, `optimal_transport+mlm`): the
    system's fixed colour, or one that no other system has, as long as there are any.
    """
    names = list(systems)
    kinds = {name: name.rpartition("+")[2].partition(".")[0] for name in names}
    number = Counter(kinds.values())
    kinds = {name: kind for name, kind in kinds.items() if number[kind] == 1 and kind in OF_SYSTEMS}
    colours = {name: OF_SYSTEMS[kind] for name, kind in kinds.items()}
    left = [colour for colour in IN_TURN if colour not in colours.values()] or IN_TURN
    others = [name for name in names if name not in colours]
    return {**colours, **dict(zip(others, cycle(left), strict=False))}


def plot_dots(
    panels: Mapping[str, np.ndarray],
    systems: Sequence[str],
    lines: Sequence[str],
    chance: Mapping[str, float],
    label: str,
    caption: str,
    out: Sequence[str | Path],
) -> None:
    """Draw a panel (systems, lines) of values for each name, a dot a system on each line, and its `chance`, dashed."""
    wide = min(len(panels), 4)
    tall = -(-len(panels) // wide)
    size = (3.2 * wide, 1.4 + tall * (0.9 + 0.42 * len(lines)))
    figure, axes = pyplot().subplots(
        tall, wide, figsize=size, squeeze=False, sharey=True, layout="constrained"
    )
    colours, heights = colours_of(systems), np.arange(len(lines))[::-1]
    for axis, (name, values) in zip(axes.flat, panels.items(), strict=False):
        axis.hlines(heights, 0, np.nanmax(values, initial=1), color="#dddddd", linewidth=0.8, zorder=0)
        for number, (system, scores) in enumerate(zip(systems, values, strict=True)):
            aside = (len(systems) - 1) / 2 - number
            style = {"color": colours[system], "marker": MARKERS[number % len(MARKERS)], "s": 34}
            axis.scatter(scores, heights + 0.13 * aside, label=system, **style)
        if name in chance:
            axis.axvline(chance[name], color=BLACK, linestyle="--", linewidth=1)
        axis.set_title(name, fontsize=10)
        axis.set_yticks(heights, lines, fontsize=9)
        axis.set_ylim(-0.6, len(lines) - 0.4)
        axis.set_xlim(left=0)
        axis.set_xlabel(label, fontsize=9)
    for axis in list(axes.flat)[len(panels) :]:
        axis.set_axis_off()
    handles, labels = axes.flat[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=len(labels), frameon=False, fontsize=9)
    figure.suptitle(caption, fontsize=9, color="#444444")
    save(figure, out)


# Pictures of lines: a score by encoder layer, loss by step of pre-training, and a score by epoch of translation.
STYLES = ("-", "--", ":")
Curves = Mapping[str, Mapping[int, Sequence[float]]]  # system -> layer or epoch -> values, one a seed


def plot_layers(curves: Curves, label: str, caption: str, out: Sequence[str | Path]) -> None:
    """Draw a line for each system over its layers, a band of deviation over seeds; `label` is of the values."""
    figure, axis = pyplot().subplots(figsize=(7, 4.5))
    colours = colours_of(curves)
    for number, (system, layers) in enumerate(curves.items()):
        colour, places = colours[system], sorted(layers)
        centre = np.array([np.mean(layers[layer]) for layer in places])
        deviation = np.array([np.std(layers[p], ddof=1) if len(layers[p]) > 1 else 0 for p in places])
        low, high = centre - deviation, centre + deviation
        axis.plot(places, centre, color=colour, marker=MARKERS[number % len(MARKERS)], label=system)
        axis.fill_between(places, low, high, color=colour, alpha=0.15, linewidth=0)
    axis.set_xlabel("layer")
    axis.set_ylabel(label)
    axis.xaxis.get_major_locator().set_params(integer=True)
    axis.grid(axis="y", color="#dddddd", linewidth=0.8)
    axis.legend(frameon=False)
    axis.set_title(caption, fontsize=9, color="#444444")
    figure.tight_layout()
    save(figure, out)


def read_curve(folder: str | Path) -> dict[str, Any]:
    """Return a run's loss curve from training.json. Raises InputError if the folder holds none."""
    path = Path(folder) / "training.json"
    try:
        return read_json(path)["loss_curve"]
    except (KeyError, TypeError):
        raise InputError(
            path, "holds no loss_curve", remedy="give a folder that crosslingua pretrain wrote"
        ) from None


def plot_losses(
    curves: Mapping[str, Mapping[str, Sequence[float]]], caption: str, out: Sequence[str | Path]
) -> None:
    """Draw the terms of each run's loss against the step: a panel for each term, a line for each run that has it."""
    names = dict.fromkeys(name for curve in curves.values() for name in curve)
    terms = [name for name in names if name not in ("step", "loss")]
    figure, panels = pyplot().subplots(
        1, len(terms), figsize=(4.4 * len(terms), 4.4), layout="constrained", squeeze=False
    )
    for axes, term in zip(panels[0], terms, strict=True):
        runs = {name: curve for name, curve in curves.items() if term in curve}
        colours = colours_of(runs)
        for number, (name, curve) in enumerate(runs.items()):
            style = {"color": colours[name], "linestyle": STYLES[number // len(IN_TURN) % 3]}
            axes.plot(curve["step"], curve[term], linewidth=1.2, label=name, **style)
        axes.set(title=term, xlabel="step")
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
    """Draw a panel for each of `panels`, two a row: means over seeds, with their range as a band.

    `starts` are heights at epoch 0 by panel and system, `lines` dashed ones by panel and name.
    """
    rows = -(-len(panels) // 2)
    figure, axes = pyplot().subplots(
        rows, 2, figsize=(10, 3.9 * rows + 0.3), sharex=True, squeeze=False, layout="constrained"
    )
    systems = list(dict.fromkeys(system for curves in panels.values() for system in curves))
    colours = colours_of(systems)
    for number, (title, curves) in enumerate(panels.items()):
        axis = axes.flat[number]
        for system, epochs in curves.items():
            places = sorted(epochs)
            values, style = [epochs[place] for place in places], {"color": colours[system]}
            axis.plot(places, [np.mean(v) for v in values], marker="o", markersize=3, label=system, **style)
            low, high = [min(v) for v in values], [max(v) for v in values]
            axis.fill_between(places, low, high, alpha=0.18, linewidth=0, **style)
        for system, height in starts.get(title, {}).items():
            style = {"color": colours[system], "fillstyle": "none", "linestyle": ""}
            axis.plot(0, height, marker="D", markersize=5, **style)
        for i, (name, height) in enumerate(lines.get(title, {}).items()):
            axis.axhline(height, color=GREY, linestyle=("--", ":", "-.")[i % 3], linewidth=1.2, label=name)
        axis.set(title=f"({chr(ord('a') + number)}) {title}", xlabel="epoch", ylabel=label)
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
