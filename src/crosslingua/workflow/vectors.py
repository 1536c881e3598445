"""Jobs of word embeddings, mappers and lexicon induction."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from crosslingua.mappers import MAPPERS
from crosslingua.names import check_defined
from crosslingua.workflow.shell import settings_words
from crosslingua.workflow.text import dictionary_folder
from crosslingua.workflow.workflow import LexiconPair, Workflow

SIDES = ("source", "target")


def embeddings_folder(w: Workflow) -> str:
    """Return the folder of word embeddings before any mapping."""
    return f"{w.results}/word_embeddings"


def fasttext_options(w: Workflow, *, joint: bool = False) -> dict[str, Any]:
    """Return the options of fastText; a joint vocabulary may hold the words of both languages."""
    own = w.config["word_embeddings"]
    return own | ({"max_vocabulary": 2 * own["max_vocabulary"]} if joint else {})


def duong_options(w: Workflow) -> dict[str, Any]:
    """Return the options of train_duong.py: those of its section, and of vectors in general."""
    own = w.config["word_embeddings"]
    return w.config["duong"] | {
        "dim": own["dim"],
        "min_count": own["minCount"],
        "max_vocabulary": own["max_vocabulary"],
    }


def concatenated(w: Workflow, source: str, target: str, seed: object) -> str:
    """Return the vectors of joint training, which does not know source from target."""
    return f"{embeddings_folder(w)}/concatenated/{'+'.join(sorted([source, target]))}/seed{seed}.vec"


def joint_vectors(w: Workflow, source: str, target: str) -> list[str]:
    """Return the vectors of joint training, one file a seed."""
    return [concatenated(w, source, target, seed) for seed in w.seeds]


def space(w: Workflow, embeddings: str, pair: LexiconPair, seed: int, name: str) -> str:
    """Return a file of a pair's embeddings before any mapping: `source.vec`, `target.vec` or `shared.txt`."""
    folder = embeddings_folder(w)
    if embeddings == "independent":
        language = {"source.vec": pair.source, "target.vec": pair.target}[name]
        return f"{folder}/independent/{language}/seed{seed}.vec"
    # Plain joint training knows no dictionary; what else there is, does.
    place = f"{pair.source}-{pair.target}" if embeddings == "joint" else pair.name
    return f"{folder}/{embeddings}/{place}/seed{seed}.{name}"


def mapped(w: Workflow, system: str, pair: LexiconPair, seed: int, name: str) -> str:
    """Return a file that a system's mapping of a pair writes."""
    return f"{w.results}/embedding_alignment/{pair.name}/{system}/seed{seed}.{name}"


def needs_dictionary(w: Workflow, choice: Mapping[str, Any]) -> bool:
    """Whether a system trains, chooses gamma, or maps by a dictionary; `choice` is its entry."""
    mapper = choice["mapper"]
    return (
        choice["embeddings"] in ("joint_replace", "duong")
        or (choice["embeddings"] == "joint_vr" and chooses_gamma(w))
        or (mapper is not None and MAPPERS.needs_dictionary(mapper, mapper_settings(w, choice)))
    )


def systems_of(w: Workflow, pair: LexiconPair) -> dict[str, Mapping[str, Any]]:
    """Return the systems that can run on a pair, by name."""
    return {
        name: choice
        for name, choice in w.systems.items()
        if pair.dictionary or not needs_dictionary(w, choice)
    }


def final(w: Workflow, system: str, pair: LexiconPair, seed: int, name: str) -> str:
    """Return the vectors that a system is judged by."""
    choice = w.systems[system]
    if choice["mapper"] is None:
        return space(w, choice["embeddings"], pair, seed, name)
    return mapped(w, system, pair, seed, name)


def has_shared_words(embeddings: str) -> bool:
    """Whether the languages of a space have words in common, which refinement leaves where they are."""
    return embeddings.startswith("joint")


def division_plan(w: Workflow, kind: str, place: Any) -> str:
    """Write the cells that divide a pair's joint vocabulary, one a seed; return the file.

    `kind` is joint, joint_vr or joint_replace; `place` has source, target and, but for joint, dictionary.
    """
    pair = LexiconPair(place.source, place.target, getattr(place, "dictionary", ""))
    folder = space(w, kind, pair, w.seeds[0], "").rpartition("/")[0]
    cells = [
        {"vectors": _joint_vectors(w, kind, pair, seed), "seed": seed, "report": f"{folder}/division.json"}
        | {f"out_{side}": space(w, kind, pair, seed, f"{side}.vec") for side in SIDES}
        | {"out_shared": space(w, kind, pair, seed, "shared.txt")}
        for seed in w.seeds
    ]
    return w.plan(f"divide_vocabulary/{kind}.{folder.rpartition('/')[2]}", cells)


def _joint_vectors(w: Workflow, kind: str, pair: LexiconPair, seed: int) -> str:
    if kind == "joint_replace":
        return f"{embeddings_folder(w)}/replaced/{pair.name}/seed{seed}.vec"
    return concatenated(w, pair.source, pair.target, seed)


def chooses_gamma(w: Workflow) -> bool:
    """Whether gamma has several candidates, of which one is chosen by a dictionary."""
    return len(w.config["vocabulary_reallocation"]["gamma"]) > 1


def choosing_dictionaries(w: Workflow, pair: LexiconPair) -> dict[str, str]:
    """Return the files that gamma is chosen by, as options of divide_vocabulary.py; none where it is given."""
    folder = dictionary_folder(w, pair.name)
    return {name: f"{folder}/{name}.txt" for name in ("fit", "validation")} if chooses_gamma(w) else {}


def reallocation_options(w: Workflow, pair: LexiconPair) -> dict[str, Any]:
    """Return the options of reallocation: candidates of gamma, and how they are compared."""
    own = w.config["vocabulary_reallocation"]
    mapper = own["selection_mapper"]
    settings = settings_words(w.config["mappers"].get(mapper))
    size = w.config["word_embeddings"]["max_vocabulary"]
    return {**own, "set": settings, "max_vocabulary": size, **choosing_dictionaries(w, pair)}


def mapping_inputs(w: Workflow, system: str, pair: LexiconPair) -> list[str]:
    """Return the files that a system's mapping reads: vectors, shared words, and the dictionary if it needs one."""
    choice = w.systems[system]
    names = [f"{side}.vec" for side in SIDES]
    names += ["shared.txt"] if has_shared_words(choice["embeddings"]) else []
    files = [space(w, choice["embeddings"], pair, seed, name) for seed in w.seeds for name in names]
    dictionary = mapping_options(w, system, pair)["dictionary"]
    return [*files, *([dictionary] if dictionary else [])]


def mapping_plan(w: Workflow, system: str, pair: LexiconPair) -> str:
    """Write the cells that map a pair's vectors for a system, one a seed; return the file."""
    own = w.systems[system]["embeddings"]
    cells = [
        {side: space(w, own, pair, seed, f"{side}.vec") for side in SIDES}
        | {"shared": space(w, own, pair, seed, "shared.txt") if has_shared_words(own) else ""}
        | {"seed": seed, "details": mapped(w, system, pair, seed, "details.json")}
        | {f"out_{side}": mapped(w, system, pair, seed, f"{side}.vec") for side in SIDES}
        for seed in w.seeds
    ]
    return w.plan(f"align_vectors/{pair.name}.{system}", cells)


def mapping_options(w: Workflow, system: str, pair: LexiconPair) -> dict[str, Any]:
    """Return the options that all cells of a system share: mapper, settings, and the dictionary if it needs one."""
    choice = w.systems[system]
    settings = mapper_settings(w, choice)
    supervised = MAPPERS.needs_dictionary(choice["mapper"], settings)
    return {
        "mapper": choice["mapper"],
        "set": settings_words(settings),
        "dictionary": f"{dictionary_folder(w, pair.name)}/train.txt" if supervised else None,
    }


def system_modules(w: Workflow, system: str) -> list[str]:
    """Return the modules of a system's mapper."""
    choice = w.systems[system]
    return mapper_modules(w, choice["mapper"], mapper_settings(w, choice))


def mapper_settings(w: Workflow, choice: Mapping[str, Any]) -> dict[str, Any]:
    """Return a mapper's settings: those of the configuration, and over them a system's own."""
    return (w.config["mappers"].get(choice["mapper"]) or {}) | (choice.get("settings") or {})


def mapper_modules(w: Workflow, mapper: str | None, settings: Mapping[str, Any] | None = None) -> list[str]:
    """Return the modules of a mapper, and of the one that it wraps."""
    if mapper is None:
        return []
    return MAPPERS.modules(
        mapper, settings if settings is not None else w.config["mappers"].get(mapper) or {}
    )


def lexicon_folder(w: Workflow, pair: str, system: str) -> str:
    """Return the folder of a system's answers and scores on a pair."""
    return f"{w.results}/lexicon_induction/{pair}/{system}"


def final_vectors(w: Workflow, system: str, pair: LexiconPair) -> list[str]:
    """Return the vectors that a system is judged by, both sides, all seeds."""
    return [final(w, system, pair, seed, f"{side}.vec") for seed in w.seeds for side in SIDES]


def lexicon_plan(w: Workflow, system: str, pair: LexiconPair) -> str:
    """Write the cells that induce a lexicon, one a seed; return the file."""
    folder = lexicon_folder(w, pair.name, system)
    cells = [
        {side: final(w, system, pair, seed, f"{side}.vec") for side in SIDES}
        | {"out": f"{folder}/seed{seed}.json", "predictions": f"{folder}/seed{seed}.predictions.tsv"}
        for seed in w.seeds
    ]
    return w.plan(f"induce_lexicon/{pair.name}.{system}", cells)


def gold_dictionary(w: Workflow, pair: LexiconPair) -> list[str]:
    """Return the file of the dictionary that tests; none where a pair has none."""
    return [f"{dictionary_folder(w, pair.name)}/test.txt"] if pair.dictionary else []


def lexicon_options(w: Workflow, pair: LexiconPair) -> dict[str, Any]:
    """Return the options that all cells of a pair's lexicon induction share; without gold nothing is said of it."""
    own, size = w.config["lexicon_induction"], w.config["word_embeddings"]["max_vocabulary"]
    retrieval = {name: own[name] for name in ("retrieval", "neighbours")} | {"max_vocabulary": size}
    gold = {"identical": ["kept", "dropped"], **own, "dictionary": gold_dictionary(w, pair)}
    return gold | retrieval if pair.dictionary else retrieval


def check_systems(w: Workflow) -> None:
    """Raise ConfigError when a system, or the choice of gamma, names a mapper that is not there."""
    used = {f"joint_align.systems.{name}.mapper": system["mapper"] for name, system in w.systems.items()}
    used["vocabulary_reallocation.selection_mapper"] = w.config["vocabulary_reallocation"]["selection_mapper"]
    used |= {f"mappers.{name}": name for name in w.config["mappers"]}
    for key, mapper in used.items():
        check_defined(key, mapper or (), MAPPERS, "the mappers")
