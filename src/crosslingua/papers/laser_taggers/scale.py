"""What a scale runs: the systems, the tasks with the sets of each, and the settings that taggers are trained in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from crosslingua.papers.laser_taggers.settings import MONOLINGUAL, Setting, settings_of
from crosslingua.workflow.labelled import chosen, transferred
from crosslingua.workflow.sources import present
from crosslingua.workflow.vector_systems import systems_of
from crosslingua.workflow.workflow import LexiconPair, Workflow

PAPER = "laser_taggers"
RANDOM, MAJORITY = "random", "majority"


def section(w: Workflow) -> Mapping[str, Any]:
    """Return the paper's section of the configuration."""
    return w.config[PAPER]


def seeds(w: Workflow) -> list[int]:
    """Return the seeds of taggers and of fine-tuned encoders; what they read takes turns."""
    return section(w)["seeds"] or w.seeds


def systems(w: Workflow, kind: str = "") -> dict[str, Any]:
    """Return the systems, or those that have the key `kind`, in the order of the tables."""
    return {name: one for name, one in present(section(w)["systems"]).items() if not kind or kind in one}


def tasks(w: Workflow) -> list[str]:
    """Return the tasks."""
    return list(present(section(w)["tasks"]))


def joint_tasks(w: Workflow) -> list[str]:
    """Return the tasks of joint training: those named, or else all."""
    named = section(w)["joint"]
    return tasks(w) if named is None else named


def source(w: Workflow, task: str) -> str:
    """Return the set of a task that the zero-shot setting trains on."""
    return section(w)["tasks"][task]["source"]


def targets(w: Workflow, task: str) -> list[str]:
    """Return the sets of a task, a language each, that are trained on too; `pairs` give none of a distant language."""
    far = {w.sources.language(one, name) for one in tasks(w) for name in distant(w, one)}
    near = [
        name for name in transferred(w, task, source(w, task)) if w.sources.language(task, name) not in far
    ]
    return chosen(section(w)["tasks"][task]["targets"], near)


def distant(w: Workflow, task: str) -> list[str]:
    """Return the sets of a task, of distant languages, that joint training leaves out."""
    return section(w)["tasks"][task].get("distant", [])


def languages(w: Workflow, task: str, target: str) -> tuple[str, str]:
    """Return the language of training and that of a set."""
    return w.sources.language(task, source(w, task)), w.sources.language(task, target)


def tested(w: Workflow, task: str, setting: str) -> list[str]:
    """Return the sets that a setting is tested on."""
    if setting.startswith(MONOLINGUAL):
        return [setting.removeprefix(f"{MONOLINGUAL}_")]
    return [source(w, task), *targets(w, task), *distant(w, task)]


def trainings(w: Workflow, task: str) -> list[Setting]:
    """Return the training sets of a task."""
    own, far = (
        [name for name in of(w, task) if {"train", "valid"} <= set(w.sources.splits(task, name))]
        for of in (targets, distant)
    )
    far = far if section(w)["distant_alone"] else []
    joint = task in joint_tasks(w) and len(own) > 0
    return settings_of(source(w, task), own, far, section(w)["share"], joint)


def lexicon_pair(w: Workflow, name: str, task: str, target: str) -> LexiconPair | None:
    """Return the pair of the languages of the source and of a set, with its first dictionary.

    None without one, and where it has no dictionary and the vectors of system `name` need one.
    """
    system = systems(w)[name]["vectors"]
    pair = tuple(w.sources.language(task, one) for one in (source(w, task), target))
    found = next((one for one in w.lexicon_pairs.values() if (one.source, one.target) == pair), None)
    return found if found and system in systems_of(w, found) else None
