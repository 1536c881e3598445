"""Jobs that divide a joint vocabulary, and reallocate its words."""

from __future__ import annotations

from typing import Any

from crosslingua.workflow.shell import settings_words
from crosslingua.workflow.text import dictionary_folder
from crosslingua.workflow.vector_systems import ANY_PAIR, SELECTED, chooses_gamma
from crosslingua.workflow.vectors import SIDES, concatenated, embeddings_folder, space
from crosslingua.workflow.workflow import LexiconPair, Workflow


def division_plan(w: Workflow, kind: str, place: Any) -> str:
    """Write the cells that divide a pair's joint vocabulary, one a seed; return the file.

    `kind` is joint, joint_vr or joint_replace; `place` has source, target and, but for joint, dictionary; of
    joint_replace also variant.
    """
    pair = LexiconPair(place.source, place.target, getattr(place, "dictionary", ""))
    variant = getattr(place, "variant", SELECTED)
    cells = _divisions(w, kind, pair, variant)
    return w.plan(f"divide_vocabulary/{kind}.{variant}{cells[0]['report'].split('/')[-2]}", cells)


def division_outputs(w: Workflow, kind: str, variant: str = SELECTED) -> dict[str, list[str]]:
    """Return what dividing a pair's joint vocabulary writes, with wildcards."""
    cells = _divisions(w, kind, ANY_PAIR, variant)
    names = {"source": "out_source", "target": "out_target", "shared": "out_shared", "report": "report"}
    return {name: list(dict.fromkeys(cell[column] for cell in cells)) for name, column in names.items()}


def _divisions(w: Workflow, kind: str, pair: LexiconPair, variant: str) -> list[dict[str, Any]]:
    """Return a cell for each seed; of joint also those that are reallocated without a dictionary."""
    more = ["joint_vr_unsupervised"] if kind == "joint" and unsupervised_gamma(w) else []
    return [cell for name in (kind, *more) for cell in _divisions_of(w, name, pair, variant)]


def report_file(w: Workflow, kind: str, pair: LexiconPair, variant: str = SELECTED) -> str:
    """Return the report on what dividing a pair's joint vocabulary moved."""
    return f"{space(w, kind, pair, w.seeds[0], '').rpartition('/')[0]}/{variant}division.json"


def _divisions_of(w: Workflow, kind: str, pair: LexiconPair, variant: str) -> list[dict[str, Any]]:
    own = reallocation_options(w, pair, supervised=False) if kind == "joint_vr_unsupervised" else {}
    return [
        {"vectors": _joint_vectors(w, kind, pair, seed, variant), "seed": seed}
        | {"report": report_file(w, kind, pair, variant)}
        | {f"out_{side}": space(w, kind, pair, seed, f"{side}.vec", variant) for side in SIDES}
        | {"out_shared": space(w, kind, pair, seed, "shared.txt", variant)}
        | {name: own.get(name, "") for name in ("gamma", "selection_mapper", "set") if own}
        for seed in w.seeds
    ]


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
