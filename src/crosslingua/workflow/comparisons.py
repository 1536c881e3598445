"""Jobs that compare systems' tags of the same sentences (scripts/compare_tags.py), one a paper.

A paper's `cells.py` returns them as `comparisons(w)`.
"""

from __future__ import annotations

from dataclasses import dataclass

from crosslingua.workflow.tagging import data_file
from crosslingua.workflow.workflow import Workflow, asked


@dataclass(frozen=True)
class Compared:
    """Two predictions for the test data of a set. `made` are the folders, outputs of jobs, that hold them.

    `name` is its file, below the paper's folder, without `.json`.
    """

    name: str
    task: str
    tested: str
    first: str
    second: str
    made: tuple[str, str]


def comparisons(w: Workflow, paper: str) -> list[Compared]:
    """Return the comparisons of a paper."""
    return list(asked(paper, "comparisons", w))


def comparisons_folder(w: Workflow, paper: str) -> str:
    """Return the folder of a paper's comparisons."""
    return f"{w.results}/comparisons/{paper}"


def comparison_file(w: Workflow, paper: str, name: str) -> str:
    """Return the file of a comparison."""
    return f"{comparisons_folder(w, paper)}/{name}.json"


def comparison_inputs(w: Workflow, paper: str) -> dict[str, list[str]]:
    """Return what a paper's comparisons read."""
    found = comparisons(w, paper)
    return {
        "predictions": sorted({folder for one in found for folder in one.made}),
        "gold": sorted({data_file(w, one.task, one.tested, "test") for one in found}),
    }


def comparison_plan(w: Workflow, paper: str) -> str:
    """Write the cells that compare; return the file."""
    cells = [
        {
            "gold": data_file(w, one.task, one.tested, "test"),
            "first": one.first,
            "second": one.second,
            "task": one.task,
            "out": comparison_file(w, paper, one.name),
        }
        for one in comparisons(w, paper)
    ]
    return w.plan(f"compare_tags/{paper}", cells)
