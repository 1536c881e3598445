"""What align_mlm's statements are tested on: transfer sentence by sentence, and its correlation with alignment.

A pair is `transformation.task` (`trans_inv.pos`), a sentence of a task is one item in all transformations. The scores
of F1 are influence values (`claims.influence`), an item a sentence.

Delta is near 0 without good reason if a task was not learned in the derived language itself. A task is therefore no
evidence if its mean supervised score is hardly above the most frequent class (`tasks.learnt`). Nor is delta evidence of
a system that, in a task and transformation, is hardly above random weights.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from crosslingua.cells import Cell
from crosslingua.claims.interval import Evidence, numbered, of_rank_correlation
from crosslingua.errors import InputError
from crosslingua.io.json import read_json
from crosslingua.papers.align_mlm.tables import CONTROLS, SYSTEMS
from crosslingua.report.correlation import permuted_together
from crosslingua.tasks.scores import gains_by_pretraining, is_learnt

ALIGNED = "alignment_with_transfer"  # the "system" whose value is the correlation
# What claims name, over all items each. In points: the scores of table 3, and the cost of inversion beyond a change of
# script. In percent: tokens whose counterpart is nearest, and the loss of these by inversion. Spearman's rho of
# alignment with transfer.
MEASURES = dict.fromkeys(
    (
        *("supervised", "zero_shot", "delta", "cost_of_inversion"),
        *("alignment", "alignment_lost_by_inversion", "correlation"),
    ),
    ("all",),
)
Alignments = Mapping[tuple[str, str, int], float]  # by system, target and seed


@dataclass(frozen=True)
class Scores:
    """One encoder's scores in a task, (sentences,) each; `majority` where the task is classification."""

    system: str
    target: str
    task: str
    seed: int
    supervised: np.ndarray
    zero_shot: np.ndarray
    majority: float | None = None

    @property
    def measures(self) -> dict[str, np.ndarray]:
        """What claims name, by sentence."""
        values = {"supervised": self.supervised, "zero_shot": self.zero_shot}
        return values | {"delta": self.supervised - self.zero_shot}


def evidence(cells: Sequence[Cell], inputs: Mapping[str, list[Path]]) -> dict[tuple[str, str], Evidence]:
    """Return transfer and its correlation with alignment; `inputs` are none."""
    scores = []
    for cell in (one for one in cells if one.less):  # of delta: the supervised score, and the zero-shot one
        files = [read_json(path) for path in (cell.score, cell.less)]
        values = [np.array(content["per_sentence"], dtype=np.float64) for content in files]
        if len(values[0]) != len(values[1]):
            raise InputError(cell.less, f"other sentences were scored than in {cell.score}")
        majority = files[0].get("majority")
        scores.append(Scores(cell.system, cell.target, cell.task, cell.seed, *values, majority))
    alignments = {
        (cell.system, cell.target, cell.seed): read_json(cell.score)["alignment"]
        for cell in cells
        if cell.task == "embedding_alignment"
    }
    return measures(learnt(scores), alignments)


def measures(scores: Sequence[Scores], alignments: Alignments) -> dict[tuple[str, str], Evidence]:
    """Return the evidence of every measure."""
    found = {measure: transfer(scores, measure) for measure in ("supervised", "zero_shot", "delta")}
    for pair, system in (unlearnt := hardly_pretrained(scores)):
        del found["delta"].values[pair][system]
    found["delta"].unlearnt = unlearnt
    found["cost_of_inversion"] = cost_of_inversion(found["delta"])
    # Of tokens the percentage whose counterpart is nearest, one value an encoder.
    found["alignment"] = Evidence("points of alignment")
    lost = Evidence("points of alignment (trans less trans_inv)")
    for (system, target, seed), value in alignments.items():
        found["alignment"].add(target, system, seed, {("encoder", "all"): value})
        inverted = alignments.get((system, "trans_inv", seed))
        if target == "trans" and inverted is not None:
            lost.add("trans_inv", system, seed, {("encoder", "all"): value - inverted})
    found["alignment_lost_by_inversion"] = lost
    found["correlation"] = correlation(scores, alignments)
    return {(measure, "all"): one for measure, one in found.items()}


def learnt(scores: Sequence[Scores]) -> list[Scores]:
    """Return the scores without the tasks that were not learnt in a transformation."""
    groups: defaultdict[tuple[str, str], list[Scores]] = defaultdict(list)
    for one in scores:
        groups[one.target, one.task].append(one)
    known = {
        key
        for key, group in groups.items()
        if is_learnt([float(one.supervised.mean()) for one in group], group[-1].majority)
    }
    return [one for one in scores if (one.target, one.task) in known]


def hardly_pretrained(scores: Sequence[Scores]) -> list[tuple[str, str]]:
    """Return where systems are hardly above random weights: (target.task, system)."""
    supervised: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
    for one in scores:
        supervised[f"{one.target}.{one.task}", one.system].append(float(one.supervised.mean()))
    return [
        (pair, system)
        for (pair, system), values in supervised.items()
        for control in CONTROLS
        if system != control
        and (floor := supervised.get((pair, control)))
        and not gains_by_pretraining(values, floor)
    ]


def transfer(scores: Sequence[Scores], measure: str) -> Evidence:
    """Return the supervised score, the zero-shot score, or their difference (delta); in points of accuracy or F1."""
    found = Evidence(f"points ({measure})")
    for one in scores:
        items = numbered(one.task, one.measures[measure])
        found.add(f"{one.target}.{one.task}", one.system, one.seed, items)
    return found


def cost_of_inversion(delta: Evidence) -> Evidence:
    """Return delta under transliteration and inversion less that under transliteration alone; the pair is the task."""
    places = [(pair.partition("."), system) for pair, system in delta.unlearnt]
    lost = {(task, system) for (target, _, task), system in places if target != "trans_syn"}
    found = Evidence("points (delta of trans_inv less delta of trans)", unlearnt=sorted(lost))
    for pair, systems in delta.values.items():
        target, _, task = pair.partition(".")
        for system, seeds in systems.items() if target == "trans_inv" else ():
            for seed, items in seeds.items():
                plain = delta.values.get(f"trans.{task}", {}).get(system, {}).get(seed, {})
                if common := {item: value - plain[item] for item, value in items.items() if item in plain}:
                    found.add(task, system, seed, common)
    return found


def correlation(scores: Sequence[Scores], alignments: Alignments) -> Evidence:
    """Return Spearman's rho of alignment and transfer (-delta) over the encoders of table 3 (items); pair: task.

    The unit holds p, the share of permutations within transformations with a mean over seeds as far from 0.
    """
    found = Evidence("Spearman's rho", bounds=(-1, 1))
    encoders: defaultdict[tuple[str, int], dict[tuple[str, str], tuple[float, float]]] = defaultdict(dict)
    for one in scores:
        aligned = alignments.get((one.system, one.target, one.seed))
        if one.system in SYSTEMS and aligned is not None:
            gain = round(float(one.zero_shot.mean() - one.supervised.mean()), 6)  # keep ties
            encoders[one.task, one.seed][one.system, one.target] = (aligned, gain)
    for (task, seed), points in encoders.items():
        values = of_rank_correlation(*np.array(list(points.values())).T)
        if values is not None:
            found.add(task, ALIGNED, seed, dict(zip(points, values.tolist(), strict=True)))
    told = {
        task: permuted_together([encoders[task, seed] for seed in systems[ALIGNED]])
        for task, systems in found.values.items()
    }
    ps = ", ".join(f"{p:.2g} ({task})" for task, p in told.items() if p is not None)
    note = f"; p by permutation within transformations: {ps}" if ps else ""
    return replace(found, unit=f"{found.unit}{note}")
