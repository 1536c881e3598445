"""Encoders that are fine-tuned whole: they read words in lower case, as all systems of the paper do."""

from __future__ import annotations

from collections.abc import Iterator

from crosslingua.papers.laser_taggers.scale import PAPER, section, seeds, systems, tasks, tested, trainings
from crosslingua.papers.laser_taggers.settings import TRANSFORMER, ZERO_SHOT
from crosslingua.workflow.fine_tuning import Tuning
from crosslingua.workflow.mixtures import Mixture
from crosslingua.workflow.results import MAIN
from crosslingua.workflow.workflow import Workflow, in_turn

LOWER = f"{PAPER}_"  # what the names of lower-case sets begin with


def lower(name: str) -> str:
    """Return the name of a set in lower case."""
    return f"{LOWER}{name}"


def mixtures(w: Workflow) -> list[Mixture]:
    """Return the data of fine-tuned encoders: every training set, and what is only tested."""
    if not systems(w, "encoder"):
        return []
    return [one for task in tasks(w) for one in _mixtures(w, task)]


def _mixtures(w: Workflow, task: str) -> Iterator[Mixture]:
    for one in trainings(w, task):
        yield Mixture(task, lower(one.name), one.parts)
    for language in tested(w, task, ZERO_SHOT):
        yield Mixture(task, lower(language), ((language, 1.0),), ("test",))


def fine_tunings(w: Workflow) -> dict[str, list[Tuning]]:
    """Return the fine-tunings, one an encoder: in every setting, tested on all languages."""
    return {MAIN: [_tuning(w, one["encoder"]) for one in systems(w, "encoder").values()]}


def _tuning(w: Workflow, encoder: str) -> Tuning:
    train = tuple((task, lower(one.name)) for task in tasks(w) for one in trainings(w, task))
    test = tuple((task, lower(name)) for task in tasks(w) for name in tested(w, task, ZERO_SHOT))
    settings = {**TRANSFORMER, **(section(w)["recipes"].get("transformer") or {})}
    every = dict.fromkeys(tasks(w), settings)
    runs = tuple(in_turn(w.tagged_encoder_seeds, seeds(w)))
    return Tuning(encoder, train, test, every, seeds=tuple(seeds(w)), runs=runs)
