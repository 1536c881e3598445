"""The taggers on embedders, on mapped vectors, and of the most frequent tag."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from crosslingua.embedders import EMBEDDERS
from crosslingua.papers.laser_taggers.scale import (
    MAJORITY,
    RANDOM,
    distant,
    lexicon_pair,
    section,
    seeds,
    source,
    systems,
    targets,
    tasks,
    tested,
    trainings,
)
from crosslingua.papers.laser_taggers.settings import (
    MONOLINGUAL,
    RECIPES,
    SCORED_ON_TRAINING,
    TAGGER,
    ZERO_SHOT,
    Setting,
)
from crosslingua.workflow.encoders import laser_encoders
from crosslingua.workflow.tagging import Embedding, TaggedSet, Tagging
from crosslingua.workflow.vectors import final
from crosslingua.workflow.workflow import LexiconPair, Workflow, in_turn


def every_tagging(w: Workflow) -> Iterator[tuple[str, str, Tagging]]:
    """Yield each tagger with its system and setting; of mapped vectors there is one a language pair."""
    for task in tasks(w):
        for name, one in systems(w, "embedder").items():
            for setting in trainings(w, task):
                if _runs_in(name, setting.name):
                    yield name, setting.name, _on_features(w, task, name, one, setting)
        for name in systems(w, "vectors"):
            yield from ((name, *found) for found in _on_vectors(w, task, name))
        yield MAJORITY, ZERO_SHOT, _majority(w, task)


def _runs_in(system: str, setting: str) -> bool:
    """Whether a system is trained in a setting; the control only where it is compared with."""
    return system != RANDOM or setting == ZERO_SHOT


def _on_features(w: Workflow, task: str, name: str, one: Mapping[str, Any], setting: Setting) -> Tagging:
    embeddings = _embeddings(w, name, one)
    train = tuple(TaggedSet(language, embeddings, share) for language, share in setting.parts)
    test = tuple(TaggedSet(language, embeddings) for language in tested(w, task, setting.name))
    job = one.get("recipe", "baseline")
    own = f"{name}/{setting.name}.{task}"
    settings = recipe(w, job)
    if name in SCORED_ON_TRAINING and setting.name == ZERO_SHOT:
        settings["score_training"] = True
    return Tagging(own, job, task, TAGGER, train, test, settings, tuple(seeds(w)))


def recipe(w: Workflow, name: str) -> dict[str, Any]:
    """Return how a tagger is trained: as published, but for what the configuration says."""
    return {**RECIPES[name], **(section(w)["tagger"] or {}), **(section(w)["recipes"].get(name) or {})}


def _embeddings(w: Workflow, name: str, one: Mapping[str, Any]) -> tuple[Embedding, ...]:
    """Return how words are embedded, one a seed."""
    if "encoder" not in EMBEDDERS.needs(one["embedder"]):
        return tuple(Embedding(f"{name}.seed{seed}", one["embedder"], {"seed": seed}) for seed in seeds(w))
    folders = dict(zip(w.tagged_encoder_seeds, laser_encoders(w), strict=True))
    return tuple(
        Embedding(f"{name}.seed{run}", one["embedder"], {"encoder": folders[run]}, (folders[run],))
        for run in in_turn(w.tagged_encoder_seeds, seeds(w))
    )


def _on_vectors(w: Workflow, task: str, name: str) -> Iterator[tuple[str, Tagging]]:
    """Yield the taggers on mapped vectors: of the source for each target, and of each target."""
    settings = {one.name: one for one in trainings(w, task)}
    share, first = section(w)["share"], True
    for target in (*targets(w, task), *distant(w, task)):
        pair = lexicon_pair(w, name, task, target)
        if pair is None:
            continue
        sides = [_mapped(w, name, pair, side) for side in ("source", "target")]
        train = (TaggedSet(source(w, task), sides[0], share),)
        test = (TaggedSet(target, sides[1]), *([TaggedSet(source(w, task), sides[0])] if first else []))
        yield ZERO_SHOT, _vector_tagging(w, task, f"{name}/{ZERO_SHOT}_{target}", train, test)
        first = False
        if f"{MONOLINGUAL}_{target}" in settings:
            own = (TaggedSet(target, sides[1], share),), (TaggedSet(target, sides[1]),)
            yield f"{MONOLINGUAL}_{target}", _vector_tagging(w, task, f"{name}/{MONOLINGUAL}_{target}", *own)


def _vector_tagging(w: Workflow, task: str, name: str, train: tuple, test: tuple) -> Tagging:
    settings = recipe(w, "baseline")
    return Tagging(f"{name}.{task}", "baseline", task, TAGGER, train, test, settings, tuple(seeds(w)))


def _mapped(w: Workflow, name: str, pair: LexiconPair, side: str) -> tuple[Embedding, ...]:
    """Return the mapped vectors of one side of a pair, one a seed."""
    system = systems(w)[name]["vectors"]
    files = {run: final(w, system, pair, run, f"{side}.vec") for run in w.seeds}
    return tuple(
        Embedding(
            f"{name}.{pair.name}.{side}.seed{run}", "static_vectors", {"vectors": files[run]}, (files[run],)
        )
        for run in in_turn(w.seeds, seeds(w))
    )


def _majority(w: Workflow, task: str) -> Tagging:
    """Return the tagger that gives every word the most frequent tag; it reads no vector."""
    words = (Embedding(f"{RANDOM}.seed{seeds(w)[0]}", "random_vectors", {"seed": seeds(w)[0]}),)
    train = (TaggedSet(source(w, task), words, section(w)["share"]),)
    test = tuple(TaggedSet(language, words) for language in tested(w, task, ZERO_SHOT))
    settings = {"epochs": 1, "patience": 0}
    return Tagging(f"{MAJORITY}.{task}", "baseline", task, MAJORITY, train, test, settings, (seeds(w)[0],))
