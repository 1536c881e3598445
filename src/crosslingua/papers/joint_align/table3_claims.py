"""What the statements on table 3 are tested on: F1 of entities, sentence by sentence."""

from __future__ import annotations

from collections.abc import Sequence

from crosslingua.cells import Cell
from crosslingua.claims.evidence import Evidence, Values
from crosslingua.io.json import read_json

TABLE = "table3"
# What refinement gains on joint training: of static vectors, and of a contextual encoder.
GAINS = {
    "refinement_static": ("joint_align", "joint"),
    "refinement_contextual": ("mbert_feature_align", "mbert_feature"),
}


def entities(cells: Sequence[Cell]) -> Evidence:
    """Return F1 by pair and system as influence values, an item a sentence; GAINS are differences of two systems."""
    found = Evidence("points of F1")
    scored: dict[tuple[str, str, int], Values] = {}
    for cell in cells:
        if cell.table == TABLE:
            values = read_json(cell.score)["per_sentence"]
            items = {(cell.task, str(n)): value for n, value in enumerate(values)}
            scored[f"{cell.source}-{cell.target}", cell.system, cell.seed] = items
    for key, items in scored.items():
        found.add(*key, items)
    for name, (system, base) in GAINS.items():
        for (pair, other, seed), items in scored.items():
            if other == system and (pair, base, seed) in scored:
                less = scored[pair, base, seed]
                found.add(pair, name, seed, {item: value - less[item] for item, value in items.items()})
    return found
