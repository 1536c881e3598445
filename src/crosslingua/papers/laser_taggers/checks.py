"""Whether the section of the configuration names what is there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from crosslingua.embedders import EMBEDDERS
from crosslingua.errors import ConfigError
from crosslingua.names import check_defined
from crosslingua.papers.laser_taggers.scale import (
    PAPER,
    distant,
    joint_tasks,
    source,
    systems,
    targets,
    tasks,
)
from crosslingua.papers.laser_taggers.settings import METRICS, RECIPES
from crosslingua.workflow.encoders import encoder_folder, laser_encoders
from crosslingua.workflow.runs import check_bitext, check_encoders, members
from crosslingua.workflow.workflow import SYSTEMS, Workflow


def check(w: Workflow) -> None:
    """Raise ConfigError when the section names a language, task, system or encoder that is not there."""
    check_encoders(w)
    check_defined(f"{PAPER}.tasks", tasks(w), METRICS, "the kinds of task that are tagged")
    for task in tasks(w):
        _check_sets(w, task)
    check_defined(f"{PAPER}.joint", joint_tasks(w), tasks(w), f"{PAPER}.tasks")
    for name, one in systems(w).items():
        _check_system(w, f"{PAPER}.systems.{name}", one)


def _check_sets(w: Workflow, task: str) -> None:
    key, first = f"{PAPER}.tasks.{task}", source(w, task)
    others = [*targets(w, task), *distant(w, task)]
    check_defined(key, [first, *others], w.sources.sets[task], f"data of {task}")
    for name, wanted in ((first, ("train", "valid", "test")), *((other, ("test",)) for other in others)):
        if missing := [split for split in wanted if split not in w.sources.splits(task, name)]:
            raise ConfigError(f"{key}: {name} has no {', '.join(missing)} data")
    universal = {name: bool(w.sources.sets[task][name].get("universal")) for name in (first, *others)}
    if len(set(universal.values())) > 1:
        other = ", ".join(name for name, value in universal.items() if not value)
        raise ConfigError(
            f"{key}: tags of {other} are not the universal ones of the others; add universal=true to the data sheet"
        )
    spoken = [w.sources.language(task, name) for name in (first, *others)]
    if len(set(spoken)) < len(spoken):
        raise ConfigError(
            f"{key}: two sets of one language ({', '.join(spoken)}); tables have one column a language"
        )


def _check_system(w: Workflow, key: str, one: Mapping[str, Any]) -> None:
    if "embedder" in one:
        check_defined(f"{key}.embedder", one["embedder"], EMBEDDERS, "the embedders")
        if "encoder" in EMBEDDERS.needs(one["embedder"]) and not laser_encoders(w):
            raise ConfigError(f"{key}: {one['embedder']} reads LASER, but encoders.laser is null")
        check_defined(f"{key}.recipe", one.get("recipe", "baseline"), RECIPES, "the recipes")
    elif "vectors" in one:
        check_defined(f"{key}.vectors", one["vectors"], w.systems, SYSTEMS)
    else:
        check_defined(f"{key}.encoder", one["encoder"], members(w), "encoders.multilingual.members")
        check_bitext(w, f"{key}.encoder", [one["encoder"]])
        for seed in w.tagged_encoder_seeds:
            encoder_folder(w, one["encoder"], seed)
