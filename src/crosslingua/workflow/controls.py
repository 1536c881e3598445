"""Jobs that control unsupervised mappers: on one language twice, which they must solve."""

from __future__ import annotations

from typing import Any

from crosslingua.workflow.shell import settings_words
from crosslingua.workflow.vector_systems import mapper_settings, needs_dictionary
from crosslingua.workflow.vectors import SIDES, embeddings_folder
from crosslingua.workflow.workflow import Workflow

# What the vectors of one language differ in, by which unsupervised mappers are controlled.
CONTROLS = ("other_seed", "other_half")


def controlled(w: Workflow) -> list[str]:
    """Return the systems that map independent vectors without a dictionary; none where no control is asked for."""
    if not w.vectors["controls"] or not w.pairs:
        return []
    return [
        name
        for name, choice in w.systems.items()
        if choice["mapper"] and choice["embeddings"] == "independent" and not needs_dictionary(w, choice)
    ]


def control_kinds(w: Workflow) -> tuple[str, ...]:
    """Return the kinds of controls: with one seed there are no vectors of another."""
    return CONTROLS if len(w.seeds) > 1 else ("other_half",)


def control_language(w: Workflow) -> str:
    """Return the language that is mapped onto itself: the first pair's source."""
    return w.pairs[0][0]


def control_score(w: Workflow, system: str, kind: str, seed: int) -> str:
    """Return the scores of a control."""
    return f"{w.results}/embedding_alignment/control/{kind}/{system}/seed{seed}.json"


def control_seeds(w: Workflow) -> range:
    """Return the seeds of a mapper's controls."""
    return range(1, (w.vectors["controls"] or 0) + 1)


def control_scores(w: Workflow) -> list[str]:
    """Return the scores of all controls."""
    return [cell["out"] for cell in _controls(w)]


def control_inputs(w: Workflow) -> list[str]:
    """Return the vectors that controls read."""
    return list(dict.fromkeys(cell[side] for cell in _controls(w) for side in SIDES))


def control_plan(w: Workflow) -> str:
    """Write the cells of the controls, one a system, kind and seed; return the file."""
    return w.plan("control_mappers", _controls(w))


def _controls(w: Workflow) -> list[dict[str, Any]]:
    folder = f"{embeddings_folder(w)}/independent/{control_language(w)}" if w.pairs else ""
    found = []
    for system in controlled(w):
        choice = w.systems[system]
        for kind in control_kinds(w):
            for seed in control_seeds(w):
                one, other = (w.seeds[(seed - 1 + i) % len(w.seeds)] for i in (0, 1))
                names = (f"even.seed{w.seeds[0]}", f"odd.seed{w.seeds[0]}")
                names = names if kind == "other_half" else (f"seed{one}", f"seed{other}")
                cell = {side: f"{folder}/{name}.vec" for side, name in zip(SIDES, names, strict=True)}
                cell |= {"mapper": choice["mapper"], "set": settings_words(mapper_settings(w, choice))}
                found.append(cell | {"seed": seed, "out": control_score(w, system, kind, seed)})
    return found
