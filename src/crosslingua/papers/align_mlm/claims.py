"""What align_mlm's statements are tested on: transfer sentence by sentence, and its correlation with alignment.

A pair is `transformation.task` (`trans_inv.pos`), a sentence of a task is one item in all transformations. The scores
of F1 are influence values (`evidence.influence`), an item a sentence.

Delta is near 0 without good reason if a task was not learned in the derived language itself. A system is therefore
withheld where its supervised score does not beat random weights, the most frequent answer, and the best shortcut.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from crosslingua.cells import Cell
from crosslingua.errors import InputError
from crosslingua.evidence.evidence import Evidence, numbered
from crosslingua.evidence.influence import of_rank_correlation
from crosslingua.evidence.participation import Place, not_above, shortcut_of, withhold
from crosslingua.io.json import read_json
from crosslingua.papers.align_mlm.tables import CONTROLS, SYSTEMS
from crosslingua.report.controls import MAJORITY
from crosslingua.report.correlation import Encoder, complete, permuted_together
from crosslingua.tasks.kinds import KINDS

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
    """One encoder's scores in a task, (sentences,) each, and what controls have in the derived language."""

    system: str
    target: str
    task: str
    seed: int
    supervised: np.ndarray
    zero_shot: np.ndarray
    controls: Mapping[str, Sequence[float]] = field(default_factory=dict)

    @property
    def pair(self) -> str:
        """Transformation and task, as claims name them."""
        return f"{self.target}.{self.task}"

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
        own, transferred = (np.array(content["per_sentence"], dtype=np.float64) for content in files)
        if len(own) != len(transferred):
            raise InputError(cell.less, f"other sentences were scored than in {cell.score}")
        controls = shortcut_of(files[0], KINDS[cell.task].metric)
        controls |= {MAJORITY: [files[0][MAJORITY]]} if MAJORITY in files[0] else {}
        scores.append(Scores(cell.system, cell.target, cell.task, cell.seed, own, transferred, controls))
    alignments = {
        (cell.system, cell.target, cell.seed): read_json(cell.score)["alignment"]
        for cell in cells
        if cell.task == "embedding_alignment"
    }
    return measures(scores, alignments)


def measures(scores: Sequence[Scores], alignments: Alignments) -> dict[tuple[str, str], Evidence]:
    """Return the evidence of every measure."""
    found = {measure: transfer(scores, measure) for measure in ("supervised", "zero_shot", "delta")}
    weak = unable(scores)
    for one in found.values():
        withhold(one, weak)
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
    everywhere = unable_in_every_task(scores, weak)
    for one in (found["alignment"], lost):
        withhold(one, everywhere)
    able = [one for one in scores if (one.pair, one.system) not in weak]
    found["correlation"] = correlation(able, alignments)
    found["correlation"].controlled = True
    for task in {one.task for one in scores} - found["correlation"].values.keys():
        found["correlation"].withhold(task, ALIGNED, "has too few encoders that beat their controls")
    return {(measure, "all"): one for measure, one in found.items()}


def unable_in_every_task(scores: Sequence[Scores], weak: Mapping[Place, str]) -> dict[Place, str]:
    """Return the reasons of systems that beat their controls in no task of a transformation, which is the pair."""
    reasons: defaultdict[Place, list[str]] = defaultdict(list)
    for target, system, pair in sorted({(one.target, one.system, one.pair) for one in scores}):
        reasons[target, system].append(weak.get((pair, system), ""))
    return {place: each[0] for place, each in reasons.items() if all(each)}


def unable(scores: Sequence[Scores]) -> dict[Place, str]:
    """Return the reasons of systems whose supervised scores do not beat their controls, by pair."""
    runs: defaultdict[Place, list[float]] = defaultdict(list)
    controls: defaultdict[tuple[str], dict[str, Sequence[float]]] = defaultdict(dict)
    for one in scores:
        runs[one.pair, one.system].append(float(one.supervised.mean()))
        controls[one.pair,] |= one.controls
    return not_above(runs, controls, CONTROLS)


def transfer(scores: Sequence[Scores], measure: str) -> Evidence:
    """Return the supervised score, the zero-shot score, or their difference (delta); in points of accuracy or F1."""
    found = Evidence(f"points ({measure})")
    for one in scores:
        items = numbered(one.task, one.measures[measure])
        found.add(one.pair, one.system, one.seed, items)
    return found


def cost_of_inversion(delta: Evidence) -> Evidence:
    """Return delta under transliteration and inversion less that under transliteration alone; the pair is the task."""
    found = Evidence("points (delta of trans_inv less delta of trans)", controlled=delta.controlled)
    for pair, systems in delta.values.items():
        target, _, task = pair.partition(".")
        for system, seeds in systems.items() if target == "trans_inv" else ():
            for seed, items in seeds.items():
                plain = delta.values.get(f"trans.{task}", {}).get(system, {}).get(seed, {})
                if common := {item: value - plain[item] for item, value in items.items() if item in plain}:
                    found.add(task, system, seed, common)
    for (pair, system), reason in delta.withheld.items():
        target, _, task = pair.partition(".")
        if target != "trans_syn":
            found.withhold(task, system, reason)
    return found


def correlation(scores: Sequence[Scores], alignments: Alignments) -> Evidence:
    """Return Spearman's rho of alignment and transfer (-delta) over the encoders of table 3 (items); pair: task.

    Of a task, only the seeds with the most encoders count, since items must be the same in all. The unit holds p, the
    share of permutations within transformations with a mean over seeds as far from 0.
    """
    found, ps = Evidence("Spearman's rho", bounds=(-1, 1)), {}
    encoders: defaultdict[str, defaultdict[int, dict[Encoder, tuple[float, float]]]]
    encoders = defaultdict(lambda: defaultdict(dict))
    for one in scores:
        aligned = alignments.get((one.system, one.target, one.seed))
        if one.system in SYSTEMS and aligned is not None:
            gain = round(float(one.zero_shot.mean() - one.supervised.mean()), 6)  # keep ties
            encoders[one.task][one.seed][one.system, one.target] = (aligned, gain)
    for task, seeds in encoders.items():
        rhos = {seed: of_rank_correlation(*np.array([*seeds[seed].values()]).T) for seed in seeds}
        values = {seed: rho for seed, rho in rhos.items() if rho is not None}
        known = list(values)
        kept = [known[place] for place in complete([seeds[seed] for seed in known])]
        for seed in kept:
            found.add(task, ALIGNED, seed, dict(zip(seeds[seed], values[seed].tolist(), strict=True)))
        if kept:
            ps[task] = permuted_together([seeds[seed] for seed in kept])
    told = ", ".join(f"{p:.2g} ({task})" for task, p in ps.items())
    note = f"; p by permutation within transformations: {told}" if told else ""
    return replace(found, unit=f"{found.unit}{note}")
