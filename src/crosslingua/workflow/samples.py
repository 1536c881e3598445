"""What the results page shows samples of: predictions and links that a run keeps, with the gold data of the same items.

Scored lines say which files belong together; a cell says which system and task they are of. Of each paper and task, the
first direction between two languages is shown, of the first seed.
"""

from collections.abc import Mapping
from itertools import chain
from typing import Any

from crosslingua.tasks.kinds import PAIRS, kind_of
from crosslingua.workflow.jobs import Jobs
from crosslingua.workflow.results import ABLATIONS
from crosslingua.workflow.translation import Translation
from crosslingua.workflow.workflow import VECTORS, Workflow

SCORED = ("score_predictions/", "score_alignment/")
LINKS = "word_alignment"
LEFT_OUT = "majority"  # says nothing of words


def samples(w: Workflow, jobs: Jobs) -> dict[str, list[dict[str, Any]]]:
    """Return the samples of each paper: `kind` (links, or the form of a task), `task`, `pair`, `seed`, `gold`,
    `systems` {name: file}, and of links `source` and `target`; or `translations`, a file that says which.
    """
    lines = {line["out"]: line for name, job in jobs.items() if name.startswith(SCORED) for line in job.lines}
    found = {paper: _of_paper(w, paper, lines) for paper in w.papers}
    if VECTORS in found:
        found[VECTORS] += [
            {"kind": "translations", "brief": path} for path in w.stage(Translation).sample_briefs()
        ]
    return found


def _of_paper(w: Workflow, paper: str, lines: Mapping[str, Mapping[str, Any]]) -> list[dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    groups = [group for group in w.paper(paper).groups() if group != ABLATIONS]
    for cell in chain.from_iterable(w.paper(paper).cells(group) for group in groups):
        line = lines.get(cell.score)
        if line is None or cell.source == cell.target or cell.system == LEFT_OUT:
            continue
        form = None if cell.task == LINKS else kind_of(line["task"]).form
        if form is PAIRS:  # a class, which needs no picture
            continue
        place = {"pair": f"{cell.source}-{cell.target}", "seed": cell.seed, "table": cell.table}
        text = {side: str(line[side]) for side in ("source", "target") if side in line}
        sample = found.setdefault(
            cell.task,
            {
                **{"kind": form.name if form else "links", "task": cell.task, "systems": {}},
                **{"gold": str(line["gold"]), **place, **text},
            },
        )
        if place.items() <= sample.items():
            sample["systems"].setdefault(cell.system, str(line["hypothesis"]))
    return list(found.values())
