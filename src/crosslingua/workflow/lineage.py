"""Hashes of the part of the configuration that a number depends on."""

from collections.abc import Iterable, Mapping
from typing import Any

from crosslingua.config import digest
from crosslingua.mappers import MAPPERS
from crosslingua.tasks.kinds import VIEWS
from crosslingua.word_embeddings import GRIDS
from crosslingua.workflow.alignment import GOLD, Alignment
from crosslingua.workflow.fine_tuning import Tuning
from crosslingua.workflow.runs import members, runs, tokenisers
from crosslingua.workflow.sources import TREEBANKS, Entry
from crosslingua.workflow.text import leave_out
from crosslingua.workflow.vectors import grid_of
from crosslingua.workflow.workflow import LexiconPair, Workflow

SECTIONS = dict.fromkeys(
    ("joint_vr", "joint_vr_unsupervised"), "vocabulary_reallocation"
)  # of embeddings whose section has another name


def lexicon_hash(w: Workflow, pair: LexiconPair, system: Mapping[str, Any]) -> str:
    """Return the hash for a system's lexicon induction on a pair; `system` is its entry."""
    return digest(*vector_lineage(w, pair, system), w.config["lexicon_induction"])


def vector_lineage(w: Workflow, pair: LexiconPair, system: Mapping[str, Any]) -> list[Any]:
    """Return what a system's vectors of a pair depend on."""
    parts = [text_lineage(w, (pair.source, pair.target)), w.sources.dictionaries.get(pair.dictionary)]
    parts += [w.config["word_embeddings"], w.config["dictionaries"]["validation_share"]]
    section = w.config.get(SECTIONS.get(system["embeddings"], system["embeddings"])) or {}
    mappers = [
        w.config["mappers"].get(name) or {} for name in (system["mapper"], section.get("selection_mapper"))
    ]
    grids = [
        grid_of(w, name)
        for name in (system["mapper"], system["embeddings"])
        if name in GRIDS or name in MAPPERS
    ]
    return [*parts, section, system, *mappers, *(dict(grid) for grid in grids), w.seeds[0] if grids else None]


def text_lineage(w: Workflow, languages: Iterable[str]) -> list[Any]:
    """Return what the text of languages depends on."""
    names = {name for language in languages for name in (language, w.sources.root("text", language))}
    names |= {part for name in names for part in w.sources.languages[name].get("parts", ())}
    entries = {name: w.sources.languages[name] for name in sorted(names)}
    parts: list[Any] = [entries, w.config["text"]]
    parts += sorted({path for name in entries for path in leave_out(w, name)})
    if "world" in {entry.get("from") for entry in entries.values()}:
        parts += [w.config["world"]["languages"], w.config["world"]["seed"]]
    if any("derived_from" in entry for entry in entries.values()):
        parts.append(w.config["derived"])
    return parts + _orders(w, entries.values())


def _orders(w: Workflow, entries: Iterable[Entry]) -> list[Any]:
    """Return the trees that transformations of syntax learn a word order from, and a parser."""
    named = [entry[key] for entry in entries for key in ("order_of", "parsed_as") if key in entry]
    return [w.sources.sets[TREEBANKS][name] for name in named]


def set_lineage(w: Workflow, task: str, names: Iterable[str]) -> list[Any]:
    """Return what sets of labelled data or parallel text depend on."""
    task = VIEWS[task].data_kind if task in VIEWS else task
    entries = [w.sources.sets[task][root] for name in names for root in (name, w.sources.root(task, name))]
    world = w.config["world"] or {}
    told = [w.config["data"]["seed"], w.config["derived"], world.get("languages"), world.get("seed")]
    return [entries, *told, *_orders(w, entries)]


def encoder_lineage(w: Workflow, name: str) -> list[Any]:
    """Return what an encoder depends on: its training and those of its parents, or the published model."""
    run = runs(w).get(name)
    if run is None:
        return [members(w)[name]]
    begin = encoder_lineage(w, run.init) if run.init else []
    read = [vars(tokenisers(w)[run.tokeniser]) if run.tokeniser else {}, text_lineage(w, run.languages)]
    read += [] if run.derived else [set_lineage(w, "bitext", run.bitext)]
    own = {key: value for key, value in vars(run).items() if key != "seeds"}
    return [own, *read, w.threads, *begin]


def encoder_hash(w: Workflow, name: str) -> str:
    """Return the hash for scores of an encoder as it is."""
    return digest(encoder_lineage(w, name))


def alignment_hash(w: Workflow, one: Alignment) -> str:
    """Return the hash for an alignment of a gold set."""
    parts = [w.config["word_alignment"]["aligners"][one.aligner], set_lineage(w, GOLD, [one.pair]), one.layer]
    if not one.space:
        parts += [set_lineage(w, "bitext", one.training)]
        parts += [w.config["text"]["max_tokens"], w.config["text"]["lowercase"]]
    elif one.layer is None:
        parts += vector_lineage(w, one.vectors, w.systems[one.space])
    else:
        parts += encoder_lineage(w, one.member)
    return digest(*parts)


def tuning_hash(w: Workflow, own: Tuning, task: str) -> str:
    """Return the hash for the scores of an encoder that is tuned on a task."""
    names = sorted({name for other, name in (*own.train, *own.test) if other == task})
    return digest(encoder_lineage(w, own.encoder), set_lineage(w, task, names), own.settings.get(task))
