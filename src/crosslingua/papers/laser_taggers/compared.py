"""The comparison of every system with LASER-top, for the sign test, figure 5 and the list of errors."""

from __future__ import annotations

from collections.abc import Iterator

from crosslingua.papers.laser_taggers.places import Results
from crosslingua.papers.laser_taggers.scale import systems, tasks, tested
from crosslingua.papers.laser_taggers.settings import ZERO_SHOT
from crosslingua.workflow.comparisons import Compared
from crosslingua.workflow.workflow import Workflow

COMPARED_WITH = "laser_top"  # by the sign test
STATIC = "muse"  # whose errors are listed


def comparisons(w: Workflow) -> list[Compared]:
    """Return the comparison of every system with LASER-top in the zero-shot setting, seed by seed."""
    if COMPARED_WITH not in systems(w):
        return []
    where = Results(w)
    return [one for system in systems(w) if system != COMPARED_WITH for one in _compared(w, where, system)]


def _compared(w: Workflow, where: Results, system: str) -> Iterator[Compared]:
    for task in tasks(w):
        for target in tested(w, task, ZERO_SHOT):
            place = (task, ZERO_SHOT, target)
            if not where.has(system, *place):
                continue
            for seed in sorted(set(where.seeds(system, *place)) & set(where.seeds(COMPARED_WITH, *place))):
                first, own = where.prediction(system, *place, seed)
                second, other = where.prediction(COMPARED_WITH, *place, seed)
                name = comparison(system, task, target, seed)
                yield Compared(name, task, target, first, second, (own, other))


def comparison(system: str, task: str, target: str, seed: int) -> str:
    """Return the name of a comparison with LASER-top."""
    return f"{system}/seed{seed}/{task}.{target}"
