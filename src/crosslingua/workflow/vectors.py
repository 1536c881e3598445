"""Jobs of word embeddings, and the files of vectors before and after mapping."""

from __future__ import annotations

from typing import Any

from crosslingua.word_embeddings.grids import GRIDS
from crosslingua.workflow.shell import settings_words
from crosslingua.workflow.vector_systems import SELECTED, grid_of, search_words
from crosslingua.workflow.workflow import LexiconPair, Workflow

SIDES = ("source", "target")
# Joint training, and reallocation by the criterion that needs none.
WITHOUT_DICTIONARY = ("joint", "joint_vr_unsupervised")


def embeddings_folder(w: Workflow) -> str:
    """Return the folder of word embeddings before any mapping."""
    return f"{w.results}/word_embeddings"


def fasttext_options(w: Workflow, *, joint: bool = False) -> dict[str, Any]:
    """Return the options of fastText; a joint vocabulary may hold the words of both languages."""
    own = w.config["word_embeddings"]
    return own | ({"max_vocabulary": 2 * own["max_vocabulary"]} if joint else {})


def replaced_options(w: Workflow) -> dict[str, Any]:
    """Return the options of joint training on texts in which words were replaced."""
    return fasttext_options(w, joint=True) | w.config["joint_replace"]


def independent_options(w: Workflow, half: str) -> dict[str, Any]:
    """Return the options of vectors of one language, of all its text or of a half (`even.`, `odd.`) of its lines."""
    return fasttext_options(w) | {"lines": half.removesuffix(".") or None}


def duong_options(w: Workflow, variant: str = SELECTED) -> dict[str, Any]:
    """Return the options of train_duong.py: those of its section, and of vectors in general; or as published."""
    own = w.config["word_embeddings"]
    return (w.config["duong"] if variant == SELECTED else {}) | {
        "dim": own["dim"],
        "min_count": own["minCount"],
        "max_vocabulary": own["max_vocabulary"],
    }


def choice_file(w: Workflow, kind: str, pair: LexiconPair) -> str:
    """Return the settings that were chosen for training with a dictionary: duong, joint_replace."""
    return f"{embeddings_folder(w)}/{kind}/{pair.name}/choice.json"


def choosing_options(w: Workflow, kind: str) -> dict[str, Any]:
    """Return the options of choose_training.py: settings as they are otherwise, and the values to choose among."""
    own = duong_options(w) if kind == "duong" else fasttext_options(w) | w.config[kind]
    size = own.pop("max_vocabulary")
    return {
        "kind": kind,
        "set": settings_words(own),
        "search": search_words(grid_of(w, kind)),
        "max_vocabulary": size,
        "seed": w.seeds[0],
    }


def chosen_settings(w: Workflow, kind: str, pair: LexiconPair, variant: str) -> list[str]:
    """Return the file of settings that a training follows; none as published, or where nothing is chosen."""
    return [choice_file(w, kind, pair)] if grid_of(w, kind) and variant == SELECTED else []


def concatenated(w: Workflow, source: str, target: str, seed: object) -> str:
    """Return the vectors of joint training, which does not know source from target."""
    return f"{embeddings_folder(w)}/concatenated/{'+'.join(sorted([source, target]))}/seed{seed}.vec"


def joint_vectors(w: Workflow, source: str, target: str) -> list[str]:
    """Return the vectors of joint training, one file a seed."""
    return [concatenated(w, source, target, seed) for seed in w.seeds]


def space(
    w: Workflow, embeddings: str, pair: LexiconPair, seed: int, name: str, variant: str = SELECTED
) -> str:
    """Return a file of a pair's embeddings before any mapping: `source.vec`, `target.vec` or `shared.txt`."""
    folder = embeddings_folder(w)
    if embeddings == "independent":
        language = {"source.vec": pair.source, "target.vec": pair.target}[name]
        return f"{folder}/independent/{language}/seed{seed}.vec"
    place = f"{pair.source}-{pair.target}" if embeddings in WITHOUT_DICTIONARY else pair.name
    own = variant if embeddings in GRIDS else ""
    return f"{folder}/{embeddings}/{place}/{own}seed{seed}.{name}"


def has_shared_words(embeddings: str) -> bool:
    """Whether the languages of a space have words in common, which refinement leaves where they are."""
    return embeddings.startswith("joint")


def mapped(w: Workflow, system: str, pair: LexiconPair, seed: int, name: str, variant: str = SELECTED) -> str:
    """Return a file that a system's mapping of a pair writes."""
    return f"{w.results}/embedding_alignment/{pair.name}/{system}/{variant}seed{seed}.{name}"


def final(w: Workflow, system: str, pair: LexiconPair, seed: int, name: str, variant: str = SELECTED) -> str:
    """Return the vectors that a system is judged by."""
    choice = w.systems[system]
    if choice["mapper"] is None:
        return space(w, choice["embeddings"], pair, seed, name, variant)
    return mapped(w, system, pair, seed, name, variant)
