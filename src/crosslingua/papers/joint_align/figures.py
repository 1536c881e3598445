"""Figure 1, the stages of joint_align in the plane, and what is behind them; figure 2, translation by epoch."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from crosslingua.io.decode import decoded_lines
from crosslingua.io.dictionaries import read_dictionary
from crosslingua.io.json import read_json
from crosslingua.io.vectors import read_vectors
from crosslingua.metrics import read_rows
from crosslingua.papers.joint_align import curve, figure2, hubness_figure, similarity_figure
from crosslingua.report import pca, translation_figure
from crosslingua.report.figures import Figure
from crosslingua.report.similarity import STAGES

Inputs = Mapping[str, list[Path]]


def draw_figure1(inputs: Inputs, settings: Mapping[str, Any], out: list[Path]) -> None:
    """Draw the `source` and `target` vectors of the three stages, with their `shared` words (one a line).

    Some translations of `dictionary` are labelled. Settings: languages (names of source and target), words (most
    frequent of either language, default 1000), pairs (labelled, default 8), caption.
    """
    files = zip(STAGES.values(), inputs["source"], inputs["target"], inputs["shared"], strict=True)
    panels = [
        pca.Panel(title, read_vectors(source), read_vectors(target), frozenset(decoded_lines(shared)))
        for title, source, target, shared in files
    ]
    pairs = pca.choose_pairs(panels[-1], read_dictionary(inputs["dictionary"][0]), settings.get("pairs", 8))
    languages, most = tuple(settings["languages"]), settings.get("words", 1000)
    pca.plot(panels, pairs, languages, most, settings.get("caption", ""), out)


def draw_similarity(inputs: Inputs, settings: Mapping[str, Any], out: list[Path]) -> None:
    """Draw `measured`, the JSON of measure_similarity.py; setting: caption."""
    similarity_figure.plot(read_json(inputs["measured"][0])["cells"], settings.get("caption", ""), out)


def draw_hubness(inputs: Inputs, settings: Mapping[str, Any], out: list[Path]) -> None:
    """Draw `measured`, the JSON of measure_hubness.py; setting: caption."""
    hubness_figure.plot(read_json(inputs["measured"][0]), settings.get("caption", ""), out)


def draw_figure2(inputs: Inputs, settings: Mapping[str, Any], out: list[Path]) -> None:
    """Draw panels (a) and (b) of figure 2, of metrics `rows`: a direction each.

    Settings: systems (whose curves are drawn), start (what of the table stands before each), compared (what is drawn as
    lines: a name for each), caption.
    """
    rows = read_rows(inputs["rows"])
    panels = figure2.curves(rows, settings["systems"])
    found = figure2.chosen(rows)
    starts, lines = (
        {panel: _heights(found, panel, settings[name]) for panel in panels} for name in ("start", "compared")
    )
    translation_figure.plot(panels, starts, lines, "BLEU", settings.get("caption", ""), out)


def _heights(
    found: Mapping[tuple[str, str], float], panel: str, systems: Mapping[str, str]
) -> dict[str, float]:
    """Return the score of each named system that a panel has."""
    return {name: found[panel, system] for name, system in systems.items() if (panel, system) in found}


FIGURES = {
    "figure1": Figure(
        "joint_align, figure 1: principal components of the jointly trained vectors (a), after vocabulary "
        "reallocation (b), and after alignment refinement (c), on the basis of (a). Lines join translations.",
        draw_figure1,
    ),
    "similarity": Figure(
        "Why reallocation helps. Cosines of test words with their translation (blue), with another pair's "
        "translation (grey) and with the nearest target word that is wrong (orange outline); the upper row holds the "
        "pairs of which a word was shared before reallocation, the lower row the others. Reallocation moves no vector, "
        "so that blue and grey change from (a) to (b) only by the words that a language loses. It takes rivals away: "
        "in (a) a shared word's nearest wrong word is that word itself, at cosine 1, which no translation can beat, "
        "and any word's may be one of its own language that the other corpus happens to hold; look how far orange "
        "moves left in (b). Refinement moves the words that are not shared: look how far blue leaves grey in (c).",
        draw_similarity,
    ),
    "hubness": Figure(
        "Hubness. (a) The share of target words that are among the 10 nearest neighbours of at least n source words; "
        "a line that reaches far to the right has hubs, words that come up as neighbours of everything. (b) The "
        "skewness of that distribution for every system (Radovanović et al. 2010); the further right, the more hubs, "
        "and the more a retrieval that discounts them (CSLS) has to repair. †: runs whose map is degenerate.",
        draw_hubness,
    ),
    "figure2": Figure(
        "joint_align, figure 2 (a) and (b): BLEU on the test set after each epoch of training without parallel text, "
        "from the vectors of alignment, of joint training, and of both; lines are means, bands the range over seeds. "
        "A diamond is what words translated one by one with the system's vectors score, before any training; the grey "
        "line is the same model, trained on the same sentences with their pairs. In the paper align is ahead of joint "
        "in the first epochs and behind it later, and joint_align is ahead of both throughout.",
        draw_figure2,
    ),
    "curve": Figure(
        "The dictionary decides. P@1 by the share of word types in the training dictionary, mean and deviation over "
        "seeds: solid, systems that see the dictionary in training; dashed, alignment of independent vectors by it; "
        "dotted, joint training with refinement by it. A vertical line is where a system that sees the dictionary in "
        "training overtakes every mapping of separate vectors, if it does.",
        curve.draw,
    ),
}
