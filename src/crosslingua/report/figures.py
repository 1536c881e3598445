"""What all figures share: a palette for any colour vision, fonts, heat maps, files that repeat."""

import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from crosslingua.errors import ConfigError
from crosslingua.io.atomic import atomic_path
from crosslingua.metrics import read_rows

# Okabe and Ito's palette: told apart with any colour vision.
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


def pyplot():
    """Return matplotlib's pyplot, drawing into files only, the same file for the same input."""
    import matplotlib

    matplotlib.use("Agg")
    matplotlib.rcParams["svg.hashsalt"] = "crosslingua"
    from matplotlib import pyplot as plt

    return plt


def save(figure, out: Sequence[str | Path], dpi: int = 130) -> None:
    """Write `figure` to each of `out`, without a date, and close it. ConfigError, and no file, for a suffix of no
    format.
    """
    formats = figure.canvas.get_supported_filetypes()
    for path in out:
        if Path(path).suffix.lower().removeprefix(".") not in formats:
            raise ConfigError(f"--out {path}: the suffix must name a format: .{', .'.join(sorted(formats))}")
    for path in out:
        with atomic_path(path) as temporary:
            figure.savefig(
                temporary, dpi=dpi, metadata={"Date": None} if Path(path).suffix == ".svg" else None
            )
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
    """Write a legend (`handles`, or those of the axes `of`) below the panels and the caption above, and save."""
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


MISSING = "#eeeeee"


def plot(
    panels: Mapping[str, np.ndarray],
    lines: Sequence[str],
    columns: Sequence[str],
    label: str,
    caption: str,
    out: Sequence[str | Path],
) -> None:
    """Draw a panel (lines, columns) of percentages, NaN grey, for each name, and write `out`; `label` is of the
    values.
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
