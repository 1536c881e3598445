"""Jobs that lay predictions out as somebody else's evaluation reads them (scripts/export_xtreme.py).

A paper's `cells.py` returns the cells of each of its groups as `exports(w)`, {group: cells}.
"""

from __future__ import annotations

from crosslingua.workflow.fine_tuning import score_inputs
from crosslingua.workflow.workflow import Workflow, asked


def export_folder(w: Workflow) -> str:
    """Return the folder of what is laid out."""
    return f"{w.results}/xtreme"


def export_inputs(w: Workflow) -> list[str]:
    """Return the predictions and gold data of the groups that are laid out."""
    read = [
        path
        for paper in w.config["papers"]
        for group in asked(paper, "exports", w)
        for files in score_inputs(w, paper, group).values()
        for path in files
    ]
    return list(dict.fromkeys(read))


def export_plan(w: Workflow) -> str:
    """Write the cells; return the file."""
    found = [asked(paper, "exports", w) for paper in w.config["papers"]]
    return w.plan("export_xtreme", [cell for groups in found for cells in groups.values() for cell in cells])
