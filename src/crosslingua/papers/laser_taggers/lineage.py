"""Hashes of what the scores of a system depend on."""

from __future__ import annotations

from typing import Any

from crosslingua.config import digest
from crosslingua.papers.laser_taggers.scale import joint_tasks, lexicon_pair, section, systems, tested
from crosslingua.papers.laser_taggers.settings import ZERO_SHOT
from crosslingua.papers.laser_taggers.taggers import recipe
from crosslingua.workflow.laser import laser_bitext, laser_test, trained_laser
from crosslingua.workflow.lineage import encoder_lineage, set_lineage, vector_lineage
from crosslingua.workflow.workflow import Workflow


def system_hash(w: Workflow, system: str, task: str) -> str:
    """Return the hash for the scores of a system in a task."""
    sets = tested(w, task, ZERO_SHOT)
    one = systems(w).get(system, {})
    parts: list[Any] = [one, section(w)["share"], joint_tasks(w), set_lineage(w, task, sets)]
    if "encoder" in one:
        parts += [section(w)["recipes"].get("transformer"), encoder_lineage(w, one["encoder"])]
    elif "vectors" in one:
        pairs = [pair for name in sets if (pair := lexicon_pair(w, system, task, name))]
        parts += [vector_lineage(w, pair, w.systems[one["vectors"]]) for pair in pairs]
    elif one:
        parts.append(laser_lineage(w))
    return digest(*parts, recipe(w, one.get("recipe", "baseline")))


def laser_lineage(w: Workflow) -> list[Any]:
    """Return what LASER depends on."""
    own = trained_laser(w)
    if own is None:
        return [w.config["encoders"]["laser"], []]
    # The sets by name, however the configuration tells them: `pairs` may give them.
    named = {**own, "bitext": laser_bitext(w), "test": laser_test(w)}
    return [named, set_lineage(w, "bitext", laser_bitext(w))]
