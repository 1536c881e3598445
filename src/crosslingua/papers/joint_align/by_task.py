"""Which of alignment and joint training is ahead, by task: what the statement on this is tested on."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from crosslingua.claims.evidence import Evidence, Values

# Task: the measure, the system that the paper has ahead there, and the other. Table 3's `align` is Procrustes too.
AHEAD = {
    "alignment_in_lexicons": ("precision", "procrustes", "joint"),
    "alignment_in_entities": ("entities", "align", "joint"),
    "joint_in_translation": ("translation", "joint", "align"),
}


def lead_by_task(found: Mapping[tuple[str, str], Evidence]) -> Evidence:
    """Return, of one pair `all`, how far the system that the paper has ahead in a task is: the mean over pairs.

    Of every seed that both systems have; a pair counts where a seed has both.
    """
    lead = Evidence("points of P@1, F1 or BLEU")
    for name, (measure, first, second) in AHEAD.items():
        gaps: dict[int, list[float]] = {}
        for systems in found[measure, "all"].values.values():
            ours, theirs = (systems.get(system, {}) for system in (first, second))
            for seed in sorted(ours.keys() & theirs.keys()):
                gaps.setdefault(seed, []).append(_gap(ours[seed], theirs[seed]))
        for seed, values in gaps.items():
            lead.add("all", name, seed, {("all", "pairs"): float(np.mean(values))})
    return lead


def _gap(ours: Values, theirs: Values) -> float:
    """Return the mean difference over the items that both answered."""
    return float(np.mean([value - theirs[item] for item, value in ours.items() if item in theirs]))
