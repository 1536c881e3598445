"""What align_mlm's claims are tested on: transfer sentence by sentence, and its correlation with alignment.

From the file of scripts/write_align_mlm_rows.py. A pair is `transformation.task` (`trans_inv.pos`), a sentence of a
task is one item in all transformations. The values of a score that is no mean over sentences (F1, Spearman's rho) are
its influence values: their mean is the score, the variance of their mean its variance by the delta method.

Where a task was not learnt in the derived language itself, delta is near 0 for no good reason: a task of a
transformation is no evidence if its supervised scores are, in their mean, hardly above those of always giving the most
frequent class (`tasks.transfer.is_learnt`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from crosslingua.claims.evidence import Evidence
from crosslingua.report.correlation import MAIN
from crosslingua.tasks.transfer import is_learnt

Measure = Literal["supervised", "zero_shot", "delta"]
ALIGNED = "alignment_with_transfer"  # the "system" whose value is the correlation


def transfer(cells: Sequence[dict[str, Any]], measure: Measure) -> Evidence:
    """Return the supervised score, the zero-shot score, or their difference; in points of accuracy or F1."""
    found = Evidence(f"points ({measure})")
    for cell in _learnt(cells):
        for task, scores in cell["tasks"].items():
            supervised, zero_shot = (np.array(scores[kind]) for kind in ("supervised", "zero_shot"))
            values = {"supervised": supervised, "zero_shot": zero_shot, "delta": supervised - zero_shot}[
                measure
            ]
            items = {(task, str(number)): value for number, value in enumerate(values.tolist())}
            found.add(f"{cell['target']}.{task}", cell["system"], cell["seed"], items)
    return found


def correlation(cells: Sequence[dict[str, Any]]) -> Evidence:
    """Return Spearman's rho of alignment and transfer (-delta) over the encoders of table 3; the pair is the task.

    An encoder (system and transformation) is an item. Seeds without three encoders are left out.
    """
    found = Evidence("Spearman's rho")
    scores: defaultdict[tuple[str, int], dict[tuple[str, str], tuple[float, float]]] = defaultdict(dict)
    for cell in _learnt(cells):
        if cell["system"] not in MAIN or cell["alignment"] is None:
            continue
        for task, kinds in cell["tasks"].items():
            gain = round(float(np.mean(kinds["zero_shot"]) - np.mean(kinds["supervised"])), 6)  # keep ties
            scores[task, cell["seed"]][cell["system"], cell["target"]] = (cell["alignment"], gain)
    for (task, seed), encoders in scores.items():
        values = rank_correlation_values(*np.array(list(encoders.values())).T)
        if values is not None:
            found.add(task, ALIGNED, seed, dict(zip(encoders, values.tolist(), strict=True)))
    return found


def _learnt(cells: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the cells without tasks that were not learnt in a transformation (`tasks.transfer.is_learnt`)."""
    means: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
    majority: dict[tuple[str, str], float | None] = {}
    for cell in cells:
        for task, scores in cell["tasks"].items():
            means[cell["target"], task].append(float(np.mean(scores["supervised"])))
            majority[cell["target"], task] = scores.get("majority")
    learnt = {key for key, scores in means.items() if is_learnt(scores, majority[key])}
    return [
        cell | {"tasks": {task: s for task, s in cell["tasks"].items() if (cell["target"], task) in learnt}}
        for cell in cells
    ]


def rank_correlation_values(x: np.ndarray, y: np.ndarray) -> np.ndarray | None:
    """Return (n,) influence values of Spearman's rho of x and y; None where it is not defined (n < 3, or no spread).

    Of Pearson's r on standardised ranks a and b: r + (a b - r (a^2 + b^2) / 2), what is in parentheses having mean 0.
    """
    from scipy.stats import rankdata

    if len(x) < 3 or not np.ptp(x) or not np.ptp(y):
        return None
    ranks = np.array([rankdata(values) for values in (x, y)])
    a, b = (ranks - ranks.mean(axis=1, keepdims=True)) / ranks.std(axis=1, keepdims=True)
    rho = float(np.mean(a * b))
    return rho + a * b - rho * (a**2 + b**2) / 2
