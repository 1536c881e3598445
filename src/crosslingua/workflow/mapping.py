"""Jobs of mappers: one a system and pair, for all seeds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from crosslingua.mappers import MAPPERS
from crosslingua.workflow.shell import settings_words
from crosslingua.workflow.text import dictionary_folder
from crosslingua.workflow.vector_systems import (
    ANY_PAIR,
    PUBLISHED,
    mapper_grid,
    mapper_settings,
    search_words,
    variants_of,
)
from crosslingua.workflow.vectors import SIDES, has_shared_words, mapped, space
from crosslingua.workflow.workflow import LexiconPair, Workflow

_MAPPED = {"source": "source.vec", "target": "target.vec", "details": "details.json"}
ANY_SYSTEM = "{system}"  # the wildcard of a rule
DICTIONARIES = ("dictionary", "fit", "validation")


def mapped_systems(w: Workflow, *, searched: bool) -> list[str]:
    """Return the systems that have a mapper: those whose settings are searched for on held-out pairs, or the others."""
    return [
        name
        for name, choice in w.systems.items()
        if choice["mapper"] and bool(mapper_grid(w, choice)) == searched
    ]


def dictionary_names(pairs: Mapping[str, LexiconPair]) -> list[str]:
    """Return what stands for the dictionary in the names of pairs: `none` where there is none."""
    return list(dict.fromkeys(name.rpartition(".")[2] for name in pairs))


def mapping_outputs(
    w: Workflow, pair: LexiconPair = ANY_PAIR, *, searched: bool = False
) -> dict[str, list[str]]:
    """Return what mapping a pair for a system writes, in wildcards: vectors and reports.

    Where settings are `searched` for also those that were chosen, and, but on the curve, what the published ones give.
    """
    kinds = variants_of(searched, pair)
    files = {
        name: [mapped(w, ANY_SYSTEM, pair, seed, file, kind) for kind in kinds for seed in w.seeds]
        for name, file in _MAPPED.items()
    }
    return files | ({"choice": [choice_file(w, ANY_SYSTEM, pair)]} if searched else {})


def choice_file(w: Workflow, system: str, pair: LexiconPair) -> str:
    """Return the settings that were chosen for a system's mapper."""
    return mapped(w, system, pair, 0, "").rpartition("/")[0] + "/choice.json"


def mapping_inputs(w: Workflow, system: str, pair: LexiconPair) -> list[str]:
    """Return the files that mapping for a system reads: vectors, shared words, dictionaries if it needs any."""
    own = w.systems[system]["embeddings"]
    names = [f"{side}.vec" for side in SIDES] + (["shared.txt"] if has_shared_words(own) else [])
    told = mapping_options(w, system, pair)
    files = [space(w, own, pair, seed, name) for seed in w.seeds for name in names]
    return [*files, *(told[name] for name in DICTIONARIES if told[name])]


def mapping_plan(w: Workflow, system: str, pair: LexiconPair) -> str:
    """Write the cells that map a pair's vectors for a system, one a seed; return the file."""
    return w.plan(
        f"align_vectors/{pair.name}.{system}", [_mapping(w, system, pair, seed) for seed in w.seeds]
    )


def _mapping(w: Workflow, system: str, pair: LexiconPair, seed: int) -> dict[str, Any]:
    choice = w.systems[system]
    own, grid = choice["embeddings"], mapper_grid(w, choice)
    cell: dict[str, Any] = {side: space(w, own, pair, seed, f"{side}.vec") for side in SIDES}
    cell["shared"] = space(w, own, pair, seed, "shared.txt") if has_shared_words(own) else ""
    cell |= {"seed": seed, "set": settings_words(mapper_settings(w, choice))}
    cell |= {"details": mapped(w, system, pair, seed, "details.json")}
    cell |= {f"out_{side}": mapped(w, system, pair, seed, f"{side}.vec") for side in SIDES}
    cell |= {
        "search": search_words(grid),
        "choice": choice_file(w, system, pair) if grid else "",
        "choosing": bool(grid) and seed == w.seeds[0],
    }
    published = PUBLISHED in variants_of(bool(grid), pair)
    for name, file in _MAPPED.items():
        cell[f"published_{name}"] = mapped(w, system, pair, seed, file, PUBLISHED) if published else ""
    return cell


def mapping_options(w: Workflow, system: str, pair: LexiconPair) -> dict[str, Any]:
    """Return the options that all cells of a system share: its mapper, and the dictionaries if it needs any."""
    choice, folder = w.systems[system], dictionary_folder(w, pair.name)
    supervised = MAPPERS.needs_dictionary(choice["mapper"], mapper_settings(w, choice))
    chosen = bool(mapper_grid(w, choice))
    return {
        "mapper": choice["mapper"],
        "dictionary": f"{folder}/train.txt" if supervised else None,
        "fit": f"{folder}/fit.txt" if chosen else None,
        "validation": f"{folder}/validation.txt" if chosen else None,
    }


def mapping_modules(w: Workflow, systems: Iterable[str]) -> list[str]:
    """Return the modules of the mappers of some systems."""
    return list(dict.fromkeys(module for system in systems for module in system_modules(w, system)))


def system_modules(w: Workflow, system: str) -> list[str]:
    """Return the modules of a system's mapper."""
    choice = w.systems[system]
    return mapper_modules(w, choice["mapper"], mapper_settings(w, choice))


def mapper_modules(w: Workflow, mapper: str | None, settings: Mapping[str, Any] | None = None) -> list[str]:
    """Return the modules of a mapper, and of the one that it wraps."""
    if mapper is None:
        return []
    return MAPPERS.modules(
        mapper, settings if settings is not None else w.config["mappers"].get(mapper) or {}
    )
