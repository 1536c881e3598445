"""What xlm_align's statements are tested on: the error of word alignment, sentence pair by sentence pair; XTREME."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from crosslingua.cells import Cell
from crosslingua.claims.evidence import Evidence, Values
from crosslingua.claims.influence import of_ratio
from crosslingua.io.json import read_json
from crosslingua.papers.xlm_align import xtreme_claims


def evidence(cells: Sequence[Cell], inputs: Mapping[str, list[Path]]) -> dict[tuple[str, str], Evidence]:
    """Return the alignment error of table 2's systems and, as system@place, of figure 2's, and scores on XTREME.

    `inputs` are none.
    """
    aligned = [cell for cell in cells if cell.task == "word_alignment"]
    return {("alignment_error", "all"): alignment_error(aligned)} | xtreme_claims.evidence(cells)


def alignment_error(cells: Sequence[Cell]) -> Evidence:
    """Read the alignment error (AER, percent) of files of scripts/score_alignment.py, an item a sentence pair.

    AER is a ratio of sums over sentence pairs, 1 - N / D. What trains on text was run once, and counts in every seed.
    """
    found = Evidence("points of AER")
    seeds = {cell.seed for cell in cells if not _reads_text(cell)}
    places = _places(cells)
    for cell in cells:
        for system in _names(cell, places.get(cell.system, {})):
            for seed in (seeds or {cell.seed}) if _reads_text(cell) else {cell.seed}:
                found.add(f"{cell.source}-{cell.target}", system, seed, _errors(cell))
    return found


def _reads_text(cell: Cell) -> bool:
    return cell.conditions.get("reads") == "text"


def _places(cells: Sequence[Cell]) -> dict[str, dict[str, int | None]]:
    """Return, for each system of figure 2, its first and last layer there, and `middle`, its layer in table 2."""
    drawn: defaultdict[str, list[int]] = defaultdict(list)
    own: dict[str, int] = {}
    for cell in cells:
        if cell.table == "fig2":
            drawn[cell.system].append(_layer(cell))
        elif "layer" in cell.conditions:
            own[cell.system] = _layer(cell)
    return {
        system: {"first": min(layers), "middle": own.get(system), "last": max(layers)}
        for system, layers in drawn.items()
    }


def _layer(cell: Cell) -> int:
    return int(cell.conditions["layer"])


def _names(cell: Cell, places: Mapping[str, int | None]) -> list[str]:
    """Return the names that claims have for a cell; a layer of figure 2 may be at several places, or at none."""
    if cell.table != "fig2":
        return [cell.system]
    return [f"{cell.system}@{place}" for place, layer in places.items() if layer == _layer(cell)]


def _errors(cell: Cell) -> Values:
    chosen, sure, chosen_sure, chosen_possible = np.array(
        read_json(cell.score)["per_pair"], dtype=np.float64
    ).T
    values = 100 * (1 - of_ratio(chosen_sure + chosen_possible, chosen + sure))
    pair = f"{cell.source}-{cell.target}"
    return {(pair, str(number)): float(value) for number, value in enumerate(values)}
