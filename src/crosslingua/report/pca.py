"""Figure 1 of joint_align: the two languages' vectors in the plane of their first two principal components."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from crosslingua.io.vectors import WordVectors
from crosslingua.report.figures import BLUE, GREY, ORANGE, pyplot, save

COLOURS = {"source": BLUE, "target": ORANGE, "shared": GREY}


@dataclass(frozen=True)
class Panel:
    """One space: the vectors of each language, and the words that share a vector."""

    title: str
    source: WordVectors
    target: WordVectors
    shared: frozenset[str]

    def groups(self, most: int) -> dict[str, list[tuple[str, np.ndarray]]]:
        """The `most` frequent words of either language as (word, vector), split by owner."""
        sides = {"source": self.source, "target": self.target}
        every = {side: list(zip(v.words[:most], v.matrix, strict=False)) for side, v in sides.items()}
        shared = {w: v for items in every.values() for w, v in items if w in self.shared}
        own = {side: [(w, v) for w, v in items if w not in self.shared] for side, items in every.items()}
        return own | {"shared": list(shared.items())}


def choose_pairs(panel: Panel, dictionary: Sequence[tuple[str, str]], how_many: int) -> list[tuple[str, str]]:
    """Pick the first translation pairs, one a word, of which each language alone owns its word."""
    source, target = (set(vectors.words) - panel.shared for vectors in (panel.source, panel.target))
    chosen: dict[str, str] = {}
    for one, other in dictionary:
        if one in source and other in target and one not in chosen and other not in chosen.values():
            chosen[one] = other
    return list(chosen.items())[:how_many]


def plot(
    panels: Sequence[Panel],
    pairs: Sequence[tuple[str, str]],
    languages: tuple[str, str],
    most: int,
    caption: str,
    out: Sequence[str | Path],
) -> None:
    """Draw the panels on one basis, fitted to the first so that they are comparable, with `pairs` numbered."""
    from sklearn.decomposition import PCA

    points = np.stack([v for items in panels[0].groups(most).values() for _, v in items])
    model = PCA(n_components=2, svd_solver="full").fit(_unit(points))
    figure, axes = pyplot().subplots(
        1, len(panels), figsize=(5.2 * len(panels), 5.4), squeeze=False, sharex=True, sharey=True
    )
    for letter, axis, panel in zip("abcdefgh", axes[0], panels, strict=False):
        _draw(axis, panel, pairs, lambda vectors: model.transform(_unit(vectors)), languages, most)
        axis.set_title(f"({letter}) {panel.title}", fontsize=12)
    handles, labels = axes[0][0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="lower center", ncols=3, frameon=False, markerscale=2)
    figure.text(0.5, 0.955, caption, ha="center", fontsize=9, color="#444444")
    names = (f"{number} {source} = {target}" for number, (source, target) in enumerate(pairs, 1))
    figure.text(0.5, 0.085, ",  ".join(names), ha="center", fontsize=10)
    figure.tight_layout(rect=(0, 0.11, 1, 0.95))
    save(figure, out)


def _unit(matrix: np.ndarray) -> np.ndarray:
    """Length 1 a row, as cosine retrieval sees the vectors."""
    return matrix / np.linalg.norm(matrix, axis=1, keepdims=True)


def _draw(axis, panel: Panel, pairs, project, languages, most) -> None:
    names = {"source": f"{languages[0]} only", "target": f"{languages[1]} only", "shared": "shared"}
    groups = panel.groups(most)
    for side in ("shared", "source", "target"):
        points = project(np.stack([v for _, v in groups[side]])) if groups[side] else np.empty((0, 2))
        axis.scatter(*points.T, s=7, alpha=0.55, linewidths=0, color=COLOURS[side], label=names[side])
    # A line joins a word and its translation, whichever set they belong to in this panel.
    for number, pair in enumerate(pairs, 1):
        if pair[0] not in panel.source.index or pair[1] not in panel.target.index:
            continue
        sides = zip((panel.source, panel.target), pair, strict=True)
        ends = project(np.stack([vectors.matrix[vectors.index[word]] for vectors, word in sides]))
        axis.plot(*ends.T, color="#222222", linewidth=0.7, alpha=0.8)
        for point, side in zip(ends, ("source", "target"), strict=True):
            axis.scatter(*point, s=110, color=COLOURS[side], edgecolors="#ffffff", linewidths=0.8, zorder=3)
            style = {"ha": "center", "va": "center", "fontsize": 8, "weight": "bold", "color": "#ffffff"}
            axis.annotate(str(number), point, zorder=4, **style)
    axis.set_xlabel("first principal component")
    axis.set_ylabel("second")
