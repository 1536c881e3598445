"""Jobs that put tagged sets together, or parts of them, for encoders that are fine-tuned on one file.

A paper's `cells.py` returns them as `mixtures(w)`; their files stand beside the sets' own, under their names.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from crosslingua.workflow.catalogue import labelled_path
from crosslingua.workflow.workflow import Workflow, asked_by_all


@dataclass(frozen=True)
class Mixture:
    """A set `name` of a task: shares, 0 to 1, of each of the `splits` of other sets, in lower case or as they are."""

    task: str
    name: str
    parts: tuple[tuple[str, float], ...]
    splits: tuple[str, ...] = ("train", "valid")
    lowercase: bool = True


def mixtures(w: Workflow) -> list[Mixture]:
    """Return the mixtures of all papers."""
    return asked_by_all(w, "mixtures")


def _splits(w: Workflow) -> Iterator[tuple[Mixture, str]]:
    return ((one, split) for one in mixtures(w) for split in one.splits)


def mixture_files(w: Workflow) -> list[str]:
    """Return the files of all mixtures."""
    return [f"{w.corpora}/{labelled_path(one.task, one.name, split)}" for one, split in _splits(w)]


def mixture_inputs(w: Workflow) -> list[str]:
    """Return the files that they are made of."""
    return sorted({path for one, split in _splits(w) for path in _data(w, one, split)})


def _data(w: Workflow, one: Mixture, split: str) -> list[str]:
    return [f"{w.corpora}/{labelled_path(one.task, name, split)}" for name, _ in one.parts]


def mixture_plan(w: Workflow) -> str:
    """Write the cells that make them, one a split; return the file."""
    cells = [
        {
            "data": _data(w, one, split),
            "share": [share for _, share in one.parts],
            "task": one.task,
            "lowercase": one.lowercase,
            "out": f"{w.corpora}/{labelled_path(one.task, one.name, split)}",
        }
        for one, split in _splits(w)
    ]
    return w.plan("mix_tagged", cells)
