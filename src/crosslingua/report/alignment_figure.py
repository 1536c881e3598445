"""The alignment grid of a sentence pair: scores of word pairs, gold links, and the links that an aligner chose."""

import logging
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from crosslingua.io.pharaoh import Link, Links
from crosslingua.report.figures import BLACK, ORANGE, families_for, pyplot, save, undrawable

log = logging.getLogger(__name__)
CELL = 0.34  # inches
LETTERS = 13  # an inch, of the caption


@dataclass(frozen=True)
class AlignedPair:
    """A sentence pair: `scores` (source words, target words) and their meaning, `links`, `gold`."""

    source: Sequence[str]
    target: Sequence[str]
    scores: np.ndarray | None = None
    scores_mean: str = "score"
    links: frozenset[Link] | None = None
    gold: Links | None = None


def plot(grid: AlignedPair, caption: str, out: Sequence[str | Path]) -> None:
    """Draw the source's words down and the target's across; words that no font draws are numbered, `#0`."""
    plt = pyplot()
    families = families_for([*grid.source, *grid.target, caption])
    with plt.rc_context({"font.family": families}):
        rows, columns = len(grid.source), len(grid.target)
        width = 2.6 + CELL * columns
        figure, axis = plt.subplots(figsize=(width, 2.1 + CELL * rows), layout="constrained")
        axis.spines[:].set_visible(True)
        _shade(figure, axis, grid)
        _mark(axis, grid)
        axis.set_xticks(range(columns), _labels(grid.target, families), rotation=90)
        axis.set_yticks(range(rows), _labels(grid.source, families))
        axis.tick_params(top=True, labeltop=True, bottom=False, labelbottom=False, length=0)
        axis.set(xlim=(-0.5, columns - 0.5), ylim=(rows - 0.5, -0.5), aspect="equal")
        text = textwrap.fill(caption + _note([*grid.source, *grid.target], families), int(LETTERS * width))
        figure.suptitle(text, fontsize=9, color="#444444")
        if axis.get_legend_handles_labels()[0]:
            figure.legend(loc="outside lower center", ncols=3, frameon=False, fontsize=9)
        save(figure, out)


def _shade(figure, axis, grid: AlignedPair) -> None:
    for k in range(1, max(len(grid.source), len(grid.target))):
        for line, most in ((axis.axhline, len(grid.source)), (axis.axvline, len(grid.target))):
            if k < most:
                line(k - 0.5, color="#e4e4e4", linewidth=0.6, zorder=1)
    if grid.scores is not None:
        image = axis.imshow(grid.scores, cmap="Blues", aspect="equal", zorder=0, alpha=0.9)
        figure.colorbar(image, ax=axis, shrink=0.6, pad=0.02, label=grid.scores_mean)


def _mark(axis, grid: AlignedPair) -> None:
    """Outline gold links, sure and possible, and put a dot on the chosen ones."""
    from matplotlib.patches import Rectangle

    if grid.gold:
        only_possible = grid.gold.possible - grid.gold.sure
        for links, style, name in ((grid.gold.sure, "-", "sure"), (only_possible, ":", "possible only")):
            for number, (i, j) in enumerate(sorted(links)):
                look = {"edgecolor": BLACK, "linestyle": style, "label": None if number else name}
                place = (j - 0.43, i - 0.43)
                axis.add_patch(Rectangle(place, 0.86, 0.86, fill=False, linewidth=1.4, zorder=2, **look))
    if grid.links:
        i, j = zip(*sorted(grid.links), strict=True)
        axis.scatter(j, i, s=42, color=ORANGE, edgecolors="white", linewidths=0.8, zorder=3, label="chosen")


def _labels(words: Sequence[str], families: Sequence[str]) -> list[str]:
    """Return the words, or `#number` where no font has their characters; `$` is no mathematics here."""
    return [
        f"#{number}" if undrawable(word, families) else word.replace("$", r"\$")
        for number, word in enumerate(words)
    ]


def _note(words: Sequence[str], families: Sequence[str]) -> str:
    """Return the line that explains `#number`, and warn, if there are such labels."""
    missing = [word for word in words if undrawable(word, families)]
    if not missing:
        return ""
    log.warning(
        "no installed font has the characters of %d words (%s): numbers stand for the words; install a font of the "
        "script, such as Noto Sans", len(missing), ", ".join(missing[:5]),
    )  # fmt: skip
    return ". #k: word k of its sentence, from 0, which no installed font can draw"
