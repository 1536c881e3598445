"""Systems of word vectors: which settings they run under, what of these is chosen, what they need."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from crosslingua.mappers import MAPPERS
from crosslingua.names import check_defined
from crosslingua.word_embeddings.grids import GRIDS
from crosslingua.workflow.workflow import SYSTEMS, VECTORS, LexiconPair, Workflow

# Files of vectors under the settings that were chosen, and under those as published, begin with:
SELECTED, PUBLISHED = "", "published."
SUPERVISED, UNSUPERVISED = "supervised", "unsupervised"
# The wildcards of a rule: a pair with its dictionary.
ANY_PAIR = LexiconPair("{source}", "{target}", "{dictionary}")
ANY_PAIR_OF_CURVE = LexiconPair("{source}", "{target}", "{dictionary}", curve=True)


def systems_of(w: Workflow, pair: LexiconPair) -> dict[str, Mapping[str, Any]]:
    """Return the systems that can run on a pair, by name."""
    return {
        name: choice
        for name, choice in w.systems.items()
        if pair.dictionary or not needs_dictionary(w, choice)
    }


def is_trained(choice: Mapping[str, Any]) -> bool:
    """Whether a system's embeddings see a dictionary in training."""
    return choice["embeddings"] in GRIDS


def needs_dictionary(w: Workflow, choice: Mapping[str, Any]) -> bool:
    """Whether a system trains, chooses gamma, or maps by a dictionary; `choice` is its entry."""
    mapper = choice["mapper"]
    return (
        is_trained(choice)
        or (choice["embeddings"] == "joint_vr" and chooses_gamma(w))
        or (mapper is not None and MAPPERS.needs_dictionary(mapper, mapper_settings(w, choice)))
    )


def supervision(w: Workflow, choice: Mapping[str, Any]) -> str:
    """Return `supervised` for a system that needs a dictionary, else `unsupervised`."""
    return SUPERVISED if needs_dictionary(w, choice) else UNSUPERVISED


def mapper_settings(w: Workflow, choice: Mapping[str, Any]) -> dict[str, Any]:
    """Return a mapper's settings: those of the configuration, and over them a system's own."""
    return (w.config["mappers"].get(choice["mapper"]) or {}) | (choice.get("settings") or {})


def grid_of(w: Workflow, name: str) -> Mapping[str, Any]:
    """Return the values that held-out translations choose among, of a mapper or of training with a dictionary."""
    own = w.vectors["search"]
    if name in own:
        return own[name] or {}
    return GRIDS[name] if name in GRIDS else MAPPERS.member(name).grid


def search_words(grid: Mapping[str, Any]) -> list[str]:
    """Return a grid as options of `--search`: name=value|value."""
    return [f"{name}={'|'.join(map(str, values))}" for name, values in grid.items()]


def mapper_grid(w: Workflow, choice: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the values that a mapper's settings are chosen from; none without a dictionary."""
    mapper = choice["mapper"]
    if mapper is None or not MAPPERS.needs_dictionary(mapper, mapper_settings(w, choice)):
        return {}
    return grid_of(w, mapper)


def chooses_gamma(w: Workflow) -> bool:
    """Whether gamma has several candidates, of which one is chosen by a dictionary."""
    return len(w.config["vocabulary_reallocation"]["gamma"]) > 1


def is_chosen(w: Workflow, choice: Mapping[str, Any]) -> bool:
    """Whether settings of a system, or its gamma, are chosen."""
    name = choice["embeddings"]
    gamma = name.startswith("joint_vr") and chooses_gamma(w)
    return gamma or bool(mapper_grid(w, choice)) or (is_trained(choice) and bool(grid_of(w, name)))


def variants(w: Workflow, choice: Mapping[str, Any], pair: LexiconPair = ANY_PAIR) -> tuple[str, ...]:
    """Return under which settings a system runs: those chosen, and, where there was a choice, those published.

    The choice is the mapper's where there is one. Training as published is a matter of the scale.
    """
    if choice["mapper"] or not is_trained(choice):
        return variants_of(bool(mapper_grid(w, choice)), pair)
    searched = bool(grid_of(w, choice["embeddings"])) and w.vectors["published_training"]
    return variants_of(searched, pair)


def variants_of(searched: bool, pair: LexiconPair) -> tuple[str, ...]:
    """Return the settings of a system by whether they are searched for; the dictionary curve has none published."""
    return (SELECTED, PUBLISHED) if searched and not pair.curve else (SELECTED,)


def check_systems(w: Workflow) -> None:
    """Raise ConfigError when a system, or the choice of gamma, names a mapper that is not there."""
    used = {f"{SYSTEMS}.{name}.mapper": system["mapper"] for name, system in w.systems.items()}
    used["vocabulary_reallocation.selection_mapper"] = w.config["vocabulary_reallocation"]["selection_mapper"]
    used |= {f"mappers.{name}": name for name in w.config["mappers"]}
    for key, mapper in used.items():
        check_defined(key, mapper or (), MAPPERS, "the mappers")
    searched = list(w.vectors["search"])
    check_defined(f"{VECTORS}.search", searched, [*MAPPERS, *GRIDS], "what has settings to choose")
