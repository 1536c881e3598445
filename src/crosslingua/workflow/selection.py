"""Jobs that choose settings of fine-tuning on validation data. None of them is given a test file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from crosslingua.workflow.fine_tuning import Tuning, choices_folder, data_files, models_folder, tuning
from crosslingua.workflow.shell import settings_words
from crosslingua.workflow.workflow import Workflow


def chosen_on(own: Tuning) -> tuple[tuple[str, str], ...]:
    """Return the sets that settings are chosen on: of each task with a grid, the first that it is tuned on."""
    first = {task: (task, name) for task, name in reversed(own.train)}
    return tuple(first[task] for task in own.grids if task in first)


def validated_on(own: Tuning) -> tuple[tuple[str, str], ...]:
    """Return the sets whose validation data decide."""
    tasks = {task for task, _ in chosen_on(own)}
    return tuple(one for one in own.joint if one[0] in tasks) if own.joint else chosen_on(own)


def selection_inputs(w: Workflow, paper: str, encoder: str) -> dict[str, Any]:
    """Return the files that a choice reads: the encoder of the first seed, training and validation data."""
    own = tuning(w, paper, encoder)
    return {
        "encoder": _first(w, own)[1],
        "train": list(data_files(w, own, chosen_on(own), "train").values()),
        "valid": list(data_files(w, own, validated_on(own), "valid").values()),
    }


def _first(w: Workflow, own: Tuning) -> tuple[int, str]:
    """Return the first seed and its encoder: what is chosen with it holds for all."""
    return next(iter(own.encoders(w).items()))


def selection_plan(w: Workflow, paper: str, encoder: str) -> str:
    """Write the cell of a choice; return the file."""
    own, folder = tuning(w, paper, encoder), choices_folder(w, paper, encoder)
    settings: Mapping[str, Any] = {
        f"{task}.{key}": value for task, _ in chosen_on(own) for key, value in own.settings[task].items()
    }
    seed, trained = _first(w, own)
    cell = {
        "encoder": trained,
        "seed": seed,
        "out": folder,
        "models": models_folder(w, paper, encoder, seed),
        "joint": bool(own.joint),
        "set": settings_words(settings),
    }
    for split, sets in (("train", chosen_on(own)), ("valid", validated_on(own))):
        cell[split] = [f"{name}={path}" for name, path in data_files(w, own, sets, split).items()]
    return w.plan(f"select_settings/{paper}.{encoder}", [cell])
