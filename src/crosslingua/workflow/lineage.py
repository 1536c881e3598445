"""Hashes of configuration: of all that a number depends on, and of no other."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from crosslingua.config import digest
from crosslingua.workflow.alignment import GOLD, Alignment, lexicon_pair, training_pairs
from crosslingua.workflow.fine_tuning import FineTuning
from crosslingua.workflow.runs import members, runs
from crosslingua.workflow.workflow import LexiconPair, Workflow

SECTIONS = {"joint_vr": "vocabulary_reallocation"}  # of embeddings whose section has another name


def lexicon_hash(w: Workflow, pair: LexiconPair, system: Mapping[str, Any]) -> str:
    """Return the hash for a system's lexicon induction on a pair; `system` is its entry."""
    parts = [text_lineage(w, (pair.source, pair.target)), w.sources.dictionaries.get(pair.dictionary)]
    parts += [w.config["word_embeddings"], w.config["dictionaries"]["validation_share"]]
    section = SECTIONS.get(system["embeddings"], system["embeddings"])
    parts += [w.config.get(section), system, w.config["mappers"].get(system["mapper"]) or {}]
    return digest(*parts, w.config["lexicon_induction"])


def text_lineage(w: Workflow, languages: Iterable[str]) -> list[Any]:
    """Return what the text of languages depends on."""
    names = {name for language in languages for name in (language, w.sources.root("text", language))}
    entries = {name: w.sources.languages[name] for name in sorted(names)}
    parts: list[Any] = [entries, w.config["text"]]
    if "world" in {entry.get("from") for entry in entries.values()}:
        parts += [w.config["world"]["languages"], w.config["world"]["seed"]]
    if any("derived_from" in entry for entry in entries.values()):
        parts.append(w.config["derived"])
    return parts


def set_lineage(w: Workflow, task: str, names: Iterable[str]) -> list[Any]:
    """Return what sets of labelled data or parallel text depend on."""
    entries = [w.sources.sets[task][root] for name in names for root in (name, w.sources.root(task, name))]
    world = w.config["world"] or {}
    return [entries, w.config["data"]["seed"], w.config["derived"], world.get("languages"), world.get("seed")]


def encoder_lineage(w: Workflow, name: str) -> list[Any]:
    """Return what an encoder depends on: its training and those it begins with, or which published one it is."""
    run = runs(w).get(name)
    if run is None:
        return [members(w)[name]]
    begin = encoder_lineage(w, run.init) if run.init else []
    return [vars(run), text_lineage(w, run.languages), w.config["encoders"]["threads"], *begin]


def alignment_hash(w: Workflow, one: Alignment) -> str:
    """Return the hash for an alignment of a gold set."""
    parts = [w.config["word_alignment"]["aligners"][one.aligner], set_lineage(w, GOLD, [one.pair]), one.layer]
    if not one.space:
        parts += [set_lineage(w, "bitext", [name for name, _ in training_pairs(w, one.pair)])]
        parts += [w.config["text"]["max_tokens"]]
    elif one.layer is None:
        entry, _ = lexicon_pair(w, one.pair)
        parts.append(lexicon_hash(w, entry, w.systems[one.space]))
    else:
        parts += encoder_lineage(w, one.space)
    return digest(*parts)


def tuning_hash(w: Workflow, own: FineTuning, task: str) -> str:
    """Return the hash for the scores of an encoder that is tuned on a task."""
    names = sorted({name for other, name in (*own.train, *own.test) if other == task})
    return digest(encoder_lineage(w, own.encoder), set_lineage(w, task, names), own.settings.get(task))
