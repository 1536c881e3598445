"""Jobs that divide a joint vocabulary, and reallocate its words."""

from __future__ import annotations

from typing import Any

from crosslingua.workflow.shell import settings_words
from crosslingua.workflow.text import dictionary_folder
from crosslingua.workflow.vector_systems import ANY_PAIR, SELECTED, chooses_gamma, variants
from crosslingua.workflow.vectors import SIDES, concatenated, embeddings_folder, space
from crosslingua.workflow.workflow import LexiconPair, Workflow


def division_plan(w: Workflow, kind: str, place: Any) -> str:
    """Write the cells that divide a pair's joint vocabulary, one a seed; return the file.

    `kind` is joint, joint_vr or joint_replace; `place` has source, target and, but for joint, dictionary.
    """
    pair = LexiconPair(place.source, place.target, getattr(place, "dictionary", ""))
    pair = w.curve_pairs.get(pair.name, pair)
    cells = [
        cell
        for name in (kind, *(["joint_vr_unsupervised"] if kind == "joint" and unsupervised_gamma(w) else []))
        for cell in _divisions(w, name, pair)
    ]
    return w.plan(f"divide_vocabulary/{kind}.{cells[0]['report'].split('/')[-2]}", cells)


def division_outputs(w: Workflow, kind: str, pair: LexiconPair = ANY_PAIR) -> dict[str, list[str]]:
    """Return what dividing a pair's joint vocabulary writes."""
    kinds = (kind, *(["joint_vr_unsupervised"] if kind == "joint" and unsupervised_gamma(w) else []))
    cells = [cell for name in kinds for cell in _divisions(w, name, pair)]
    names = {"source": "out_source", "target": "out_target", "shared": "out_shared", "report": "report"}
    return {name: list(dict.fromkeys(cell[column] for cell in cells)) for name, column in names.items()}


def _divisions(w: Workflow, kind: str, pair: LexiconPair) -> list[dict[str, Any]]:
    folder = space(w, kind, pair, w.seeds[0], "").rpartition("/")[0]
    own = reallocation_options(w, pair, supervised=False) if kind == "joint_vr_unsupervised" else {}
    return [
        {"vectors": _joint_vectors(w, kind, pair, seed, variant), "seed": seed}
        | {"report": f"{folder}/{variant}division.json"}
        | {f"out_{side}": space(w, kind, pair, seed, f"{side}.vec", variant) for side in SIDES}
        | {"out_shared": space(w, kind, pair, seed, "shared.txt", variant)}
        | {name: own.get(name, "") for name in ("gamma", "selection_mapper", "set") if own}
        for variant in (replaced_variants(w, pair) if kind == "joint_replace" else (SELECTED,))
        for seed in w.seeds
    ]


def replaced_variants(w: Workflow, pair: LexiconPair) -> tuple[str, ...]:
    """Return under which settings text with words replaced is trained on."""
    return variants(w, {"embeddings": "joint_replace", "mapper": None}, pair)


def unsupervised_gamma(w: Workflow) -> bool:
    """Whether a system's gamma is chosen without a dictionary."""
    return any(choice["embeddings"] == "joint_vr_unsupervised" for choice in w.systems.values())


def _joint_vectors(w: Workflow, kind: str, pair: LexiconPair, seed: int, variant: str) -> str:
    if kind == "joint_replace":
        return f"{embeddings_folder(w)}/replaced/{pair.name}/{variant}seed{seed}.vec"
    return concatenated(w, pair.source, pair.target, seed)


def choosing_dictionaries(w: Workflow, pair: LexiconPair) -> dict[str, str]:
    """Return the files that gamma is chosen by, as options of divide_vocabulary.py; none where it is given."""
    folder = dictionary_folder(w, pair.name)
    return {name: f"{folder}/{name}.txt" for name in ("fit", "validation")} if chooses_gamma(w) else {}


def reallocation_options(w: Workflow, pair: LexiconPair, *, supervised: bool = True) -> dict[str, Any]:
    """Return the options of reallocation: candidates of gamma, and how they are compared."""
    own = w.config["vocabulary_reallocation"]
    size = w.config["word_embeddings"]["max_vocabulary"]
    shared = {"gamma": own["gamma"], "max_vocabulary": size}
    if not supervised:  # a joint space is refined from where it is, by MUSE's rounds
        cut = {k: v for k, v in (w.config["mappers"].get("muse") or {}).items() if k == "vocabulary_cutoff"}
        return shared | {
            "selection_mapper": "muse",
            "set": settings_words({"initialisation": "identity", **cut}),
        }
    mapper = own["selection_mapper"]
    settings = settings_words(w.config["mappers"].get(mapper))
    return shared | {"selection_mapper": mapper, "set": settings, **choosing_dictionaries(w, pair)}
