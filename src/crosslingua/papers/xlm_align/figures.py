"""Figure 2 (alignment error by encoder layer), the grid of one sentence pair, and XTREME by task and language."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from crosslingua.errors import ConfigError, InputError
from crosslingua.io.bitext import read_bitext
from crosslingua.io.decode import tokens_of
from crosslingua.io.pharaoh import Link
from crosslingua.papers.xlm_align.tables import by_pair, means, of_xtreme
from crosslingua.papers.xlm_align.tasks import TASKS
from crosslingua.report import alignment_figure, figures
from crosslingua.report.alignment_figure import AlignedPair
from crosslingua.report.figures import Figure, Inputs, of_rows
from crosslingua.word_aligners.scoring import read_alignment

AER = "alignment error rate (%), mean over pairs"
SCORES = {"optimal_transport": "transport plan"}  # what an aligner's scores are; of others, similarities
OF_VECTORS = ("encoder", "source_vectors", "target_vectors")


def curves(rows: pd.DataFrame) -> dict[str, dict[int, list[float]]]:
    """Return system -> layer -> AER of each seed, the mean over language pairs."""
    values = by_pair(rows, "fig2", "aer")
    if values["column"].nunique() > 1:
        values = means(values)
    if values.empty:
        raise InputError("metrics", "no rows for figure 2 of xlm_align: no encoder was aligned by layer")
    if values["layer"].isna().any():
        system = values.loc[values["layer"].isna(), "system"].iloc[0]
        raise InputError("metrics", f"no layer in the signature of {system}")
    found: dict[str, dict[int, list[float]]] = {}
    for (system, layer), group in values.groupby(["system", "layer"], sort=False)["value"]:
        found.setdefault(system, {})[int(layer)] = group.to_list()
    return found


def draw_grid(inputs: Inputs, settings: Mapping[str, Any], out: list[Path]) -> None:
    """Draw the pair of lines `line` (default 1) of the tokenised texts `source` and `target`.

    Inputs: `gold` links, and `links`, or an `encoder` or `source_vectors` and `target_vectors` for the setting
    `aligner`. Settings: line, aligner, aligner_settings, layer (8), languages, index_base (gold), caption.
    """
    line, aligner = settings.get("line", 1), settings.get("aligner")
    pair, lengths = read_pair(inputs["source"][0], inputs["target"][0], line)
    scores, links = explain(inputs, settings, pair) if aligner else (None, None)
    if not aligner and any(name in inputs for name in OF_VECTORS):
        raise ConfigError("an encoder or vectors change nothing without an aligner: name one in the settings")
    if "links" in inputs:
        links = read_alignment(inputs["links"][0], lengths)[line - 1].possible
    gold = None
    if "gold" in inputs:
        gold = read_alignment(inputs["gold"][0], lengths, settings.get("index_base"))[line - 1]
    if links is None and gold is None:
        raise ConfigError("nothing to draw: give links, gold or an aligner")
    grid = AlignedPair(*pair, scores, SCORES.get(aligner or "", "similarity"), links, gold)
    alignment_figure.plot(grid, settings.get("caption", ""), out)


def read_pair(
    source: Path, target: Path, line: int
) -> tuple[tuple[list[str], list[str]], list[tuple[int, int]]]:
    """Return the words of both sides of a pair, and the lengths of all pairs, which links are checked against."""
    wanted, lengths = None, []
    for number, (one, other) in enumerate(read_bitext(source, target), 1):
        words = tokens_of(one), tokens_of(other)
        lengths.append((len(words[0]), len(words[1])))
        if number == line:
            wanted = words
    if wanted is None:
        raise InputError(source, f"has no line {line}: it has {len(lengths)}")
    if not all(wanted):
        raise InputError(source, "an empty side: there is no grid to draw", line=line)
    return wanted, lengths


def explain(
    inputs: Inputs, settings: Mapping[str, Any], pair: tuple[list[str], list[str]]
) -> tuple[np.ndarray, frozenset[Link]]:
    """Return scores and links of the aligner."""
    from crosslingua.word_aligners.options import build, needs_vectors

    aligner, layer = settings["aligner"], settings.get("layer", 8)
    if not needs_vectors(aligner):
        raise ConfigError(
            f"{aligner} learns from a whole text: align it with crosslingua word-align, and give links"
        )
    from crosslingua.word_aligners.encoding import EncoderEmbedding, StaticEmbedding, UnitEmbedding

    embedding: UnitEmbedding
    if "encoder" not in inputs:
        from crosslingua.io.vectors import read_vectors

        vectors = (read_vectors(inputs[name][0], drop_zero=True) for name in OF_VECTORS[1:])
        embedding = StaticEmbedding(*vectors)
    elif not isinstance(layer, int):
        raise ConfigError(f"layer is {layer}: a grid shows one: draw the others one by one")
    else:
        languages = settings.get("languages")
        embedding = EncoderEmbedding.load(str(inputs["encoder"][0]), [layer], languages=languages)
    explained: tuple[np.ndarray, frozenset[Link]]
    explained = build(aligner, settings.get("aligner_settings"), embedding).explain(pair)
    return explained


def panels(rows: pd.DataFrame) -> tuple[dict[str, np.ndarray], list[str], list[str], dict[str, float]]:
    """Return task -> (systems, languages) mean scores, NaN where missing; the names of systems and of languages, the
    source first; and by task the mean score of the most frequent answer.
    """
    rows = of_xtreme(rows)
    floors = rows[rows["metric"] == "majority"].groupby("task")["value"].mean()
    rows = rows[[m in TASKS[t].metrics for m, t in zip(rows["metric"], rows["task"], strict=True)]]
    home = set(rows["source"])
    languages = sorted(dict.fromkeys(rows["target"]), key=lambda name: name not in home)
    systems = list(dict.fromkeys(rows["system"]))
    found = {}
    for task in (name for name in TASKS if name in set(rows["task"])):
        table = rows[rows["task"] == task].groupby(["system", "target"])["value"].mean().unstack("target")
        found[TASKS[task].title] = table.reindex(index=systems, columns=languages).to_numpy(dtype=float)
    return found, systems, languages, {TASKS[task].title: floors[task] for task in floors.index}


FIGURES = {
    "xtreme": Figure(
        "xlm_align, XTREME: score of each encoder by task and language; for questions the mean of F1 and exact "
        "match. The first line is the training language. Dashed: the most frequent answer.",
        of_rows(lambda rows, *drawn: figures.plot_dots(*panels(rows), "score (%)", *drawn)),
    ),
    "figure2": Figure(
        "xlm_align, figure 2: alignment error rate by encoder layer (0: embeddings), mean over language pairs. The "
        "paper draws layers 3 to 12: middle layers are best, and XLM-Align is below XLM-R in all.",
        of_rows(lambda rows, *drawn: figures.plot_layers(curves(rows), AER, *drawn)),
    ),
    "grid": Figure(
        "An aligned sentence pair: source words down, target words across. Dot: a found link. Solid frame: a sure "
        "gold link. Dotted frame: a possible link. Shade: the aligner's score, if there is one.",
        draw_grid,
    ),
}
