"""Which files the page shows besides tables and figures: those of the present configuration, in a folder of several."""

from __future__ import annotations

from crosslingua.workflow import mapping, reallocation, translation, vector_systems, vectors
from crosslingua.workflow.workflow import LexiconPair, Workflow

REALLOCATED = ("joint_vr", "joint_vr_unsupervised")


def shown(w: Workflow) -> dict[str, list[str]]:
    """Return what the page shows besides: settings that were chosen, what reallocation moved, sample translations."""
    pairs = [*w.lexicon_pairs.values(), *w.curve_pairs.values()]
    return {
        "choices": [path for pair in pairs for path in _choices(w, pair)],
        "divisions": [
            reallocation.report_file(w, kind, pair)
            for kind in REALLOCATED
            for pair in pairs
            if _has(w, kind, pair)
        ],
        "samples": translation.sample_briefs(w),
    }


def _choices(w: Workflow, pair: LexiconPair) -> list[str]:
    """Return the files of settings that are chosen on a pair: of mappers, and of training with its dictionary."""
    own = vector_systems.systems_of(w, pair)
    kinds = dict.fromkeys(one["embeddings"] for one in own.values() if vector_systems.is_trained(one))
    mapped = [mapping.choice_file(w, name, pair) for name in own if vector_systems.mapper_grid(w, own[name])]
    return [*mapped, *(path for kind in kinds for path in vectors.chosen_settings(w, kind, pair, ""))]


def _has(w: Workflow, kind: str, pair: LexiconPair) -> bool:
    """Whether a system of a pair reads vectors of a kind; figure 1 draws those of `joint_vr`."""
    drawn = kind == "joint_vr" and bool(w.config["joint_align"]["figure1"]) and bool(pair.dictionary)
    return drawn or kind in (one["embeddings"] for one in vector_systems.systems_of(w, pair).values())
