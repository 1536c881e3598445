"""Jobs of mappers: one a mapper and pair, for all systems and seeds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
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
    supervision,
    variants,
)
from crosslingua.workflow.vectors import SIDES, has_shared_words, mapped, space
from crosslingua.workflow.workflow import LexiconPair, Workflow

_MAPPED = {"source": "source.vec", "target": "target.vec", "details": "details.json"}
WRITTEN = {  # columns of a cell
    "source": ("out_source", "published_source"), "target": ("out_target", "published_target"),
    "details": ("details", "published_details"), "choice": ("choice",),
}  # fmt: skip
DICTIONARIES = ("dictionary", "fit", "validation")


def mappings(w: Workflow) -> dict[str, list[str]]:
    """Return the systems that a job maps together: those of one mapper that need a dictionary, or that need none."""
    found: dict[str, list[str]] = {}
    for system, choice in w.systems.items():
        if choice["mapper"]:
            found.setdefault(f"{choice['mapper']}_{supervision(w, choice)}", []).append(system)
    return found


@dataclass(frozen=True)
class MappingRule:
    """What one rule maps: systems of a mapper, on the pairs with any of some dictionaries, in wildcards."""

    mapping: str
    systems: Sequence[str]
    pair: LexiconPair
    dictionaries: Sequence[str]

    @property
    def name(self) -> str:
        """The name of the rule."""
        return f"align_by_{self.mapping}{'_of_curve' * self.pair.curve}"


def mapping_rules(w: Workflow) -> Iterator[MappingRule]:
    """Yield the rules: one for each mapping, and one for its pairs of the curve, of which less is written."""
    for mapping, systems in mappings(w).items():
        for curve, pairs in ((False, w.lexicon_pairs), (True, w.curve_pairs)):
            names = list(dict.fromkeys(pair.dictionary or "none" for pair in pairs.values()))
            if names:
                yield MappingRule(mapping, systems, replace(ANY_PAIR, curve=curve), names)


def mapping_outputs(w: Workflow, systems: Iterable[str], pair: LexiconPair) -> dict[str, list[str]]:
    """Return what mapping a pair for some systems writes: vectors, reports, and the settings that were chosen."""
    cells = [_mapping(w, system, pair, seed) for system in systems for seed in w.seeds]
    files = {
        name: [cell[column] for column in columns for cell in cells] for name, columns in WRITTEN.items()
    }
    found = {name: list(dict.fromkeys(filter(None, paths))) for name, paths in files.items()}
    return {name: paths for name, paths in found.items() if paths}


def choice_file(w: Workflow, system: str, pair: LexiconPair) -> str:
    """Return the settings that were chosen for a system's mapper."""
    return mapped(w, system, pair, 0, "").rpartition("/")[0] + "/choice.json"


def mapping_inputs(w: Workflow, systems: Iterable[str], pair: LexiconPair) -> list[str]:
    """Return the files that mapping for some systems reads: vectors, shared words, dictionaries if they need any."""
    files: list[str] = []
    for system in systems:
        own = w.systems[system]["embeddings"]
        names = [f"{side}.vec" for side in SIDES] + (["shared.txt"] if has_shared_words(own) else [])
        files += [space(w, own, pair, seed, name) for seed in w.seeds for name in names]
    told = mapping_options(w, systems, pair)
    return list(dict.fromkeys([*files, *(told[name] for name in DICTIONARIES if told.get(name))]))


def mapping_plan(w: Workflow, mapping: str, systems: Iterable[str], pair: LexiconPair) -> str:
    """Write the cells that map a pair's vectors for some systems, one a system and seed; return the file."""
    cells = [_mapping(w, system, pair, seed) for system in systems for seed in w.seeds]
    return w.plan(f"align_vectors/{pair.name}.{mapping}", cells)


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
    published = PUBLISHED in variants(w, choice, pair)
    for name, file in _MAPPED.items():
        cell[f"published_{name}"] = mapped(w, system, pair, seed, file, PUBLISHED) if published else ""
    return cell


def mapping_options(w: Workflow, systems: Iterable[str], pair: LexiconPair) -> dict[str, Any]:
    """Return the options that all cells of a mapper share: its name, and the dictionaries if it needs any."""
    choices = [w.systems[system] for system in systems]
    mapper, folder = choices[0]["mapper"], dictionary_folder(w, pair.name)
    supervised = any(MAPPERS.needs_dictionary(mapper, mapper_settings(w, choice)) for choice in choices)
    chosen = any(mapper_grid(w, choice) for choice in choices)
    return {
        "mapper": mapper,
        "dictionary": f"{folder}/train.txt" if supervised else None,
        "fit": f"{folder}/fit.txt" if chosen else None,
        "validation": f"{folder}/validation.txt" if chosen else None,
    }


def mapping_modules(w: Workflow, systems: Iterable[str]) -> list[str]:
    """Return the modules of the mapper of some systems."""
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
