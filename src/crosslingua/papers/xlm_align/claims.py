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

# What claims name, in percent: AER of table 2 and, as system@place, of figure 2; of figure 2, layer by layer (the
# pair); what XLM-Align takes off the AER of XLM-R in its last layers and in the earlier ones; and XTREME's.
MEASURES = dict.fromkeys(
    ("alignment_error", "alignment_error_by_layer", "reduction_of_alignment_error", *xtreme_claims.MEASURES),
    ("all",),
)
COMPARED = ("optimal_transport+xlmr", "optimal_transport+xlm_align")  # of figure 2
LEAST_LAYERS = 4  # drawn, for a layer to be in the middle of them


def evidence(cells: Sequence[Cell], inputs: Mapping[str, list[Path]]) -> dict[tuple[str, str], Evidence]:
    """Return the alignment error of table 2 and of figure 2's layers, and scores on XTREME; `inputs` are none."""
    aligned = [cell for cell in cells if cell.task == "word_alignment"]
    by_layer = alignment_error_by_layer(aligned)
    return {
        ("alignment_error", "all"): alignment_error(aligned),
        ("alignment_error_by_layer", "all"): by_layer,
        ("reduction_of_alignment_error", "all"): reduction(by_layer),
    } | xtreme_claims.evidence(cells)


def alignment_error_by_layer(cells: Sequence[Cell]) -> Evidence:
    """Read figure 2's AER, a "pair" a layer but the embeddings (0); an item is a sentence pair.

    All language pairs weigh alike in the mean over items.
    """
    found = Evidence("points of AER")
    drawn: defaultdict[tuple[str, str, int], list[Values]] = defaultdict(list)
    for cell in cells:
        if cell.table == "fig2" and _layer(cell) > 0:
            drawn[f"layer {_layer(cell)}", cell.system, cell.seed].append(_errors(cell))
    for (layer, system, seed), parts in drawn.items():
        total = sum(len(part) for part in parts)
        weighted = {
            item: value * total / (len(parts) * len(part)) for part in parts for item, value in part.items()
        }
        found.add(layer, system, seed, weighted)
    return found


def reduction(by_layer: Evidence) -> Evidence:
    """Return the AER of XLM-R less that of XLM-Align: means over the last third of the layers, and over the rest."""
    found = Evidence("points of AER")
    layers = sorted(by_layer.values, key=lambda layer: int(layer.partition(" ")[2]))
    first = len(layers) - max(1, len(layers) // 3)
    for name, chosen in (("last_layers", layers[first:]), ("earlier_layers", layers[:first])):
        part = by_layer.restricted(chosen) if chosen else Evidence("")
        if set(COMPARED) <= part.systems():
            for seed in part.seeds(COMPARED):
                base, aligned = (
                    _mean([part.values[layer][one][seed] for layer in chosen]) for one in COMPARED
                )
                found.add("figure 2", name, seed, {item: base[item] - aligned[item] for item in base})
    return found


def _mean(parts: Sequence[Values]) -> Values:
    return {item: sum(part[item] for part in parts) / len(parts) for item in parts[0]}


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
    """Return, for each system of figure 2, its first and last layer there, and `middle`, its layer in table 2.

    That is in the middle if it lies between them, and there are `LEAST_LAYERS`.
    """
    drawn: defaultdict[str, list[int]] = defaultdict(list)
    own: dict[str, int] = {}
    for cell in cells:
        if cell.table == "fig2":
            drawn[cell.system].append(_layer(cell))
        elif "layer" in cell.conditions:
            own[cell.system] = _layer(cell)
    return {system: _three(layers, own.get(system)) for system, layers in drawn.items()}


def _three(layers: Sequence[int], own: int | None) -> dict[str, int | None]:
    known = {*layers}
    between = own is not None and len(known) >= LEAST_LAYERS and min(known) < own < max(known)
    return {"first": min(known), "middle": own if between else None, "last": max(known)}


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
