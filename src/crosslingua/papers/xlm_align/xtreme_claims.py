"""What statements on XTREME are tested on: scores in every language, item by item, a pair a task.

The mean of a task's items is its score as tables have it, the mean over languages (`claims.contrast`). A sentence or
question that is translated into several of them is one item: XNLI, PAWS-X and XQuAD have the same in all. Tasks that no
system has learnt in the training language are no evidence, nor is a task where two systems are compared neither of
which has learnt it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence

import numpy as np

from crosslingua.cells import Cell
from crosslingua.claims.contrast import contrast
from crosslingua.claims.evidence import Evidence, Values
from crosslingua.io.json import read_json
from crosslingua.papers.xlm_align.tasks import ABLATED, CLASSIFICATION, TASKS
from crosslingua.tasks.learnt import is_learnt

# Points: table 1, its F1 alone, tables 3 to 7; and of table 1 and 3 what XLM-Align gains on tasks of tokens (structured
# prediction and questions) less what it gains on classification.
MEASURES = ("xtreme", "xtreme_f1", "xtreme_ablation", "xtreme_token_level")
Scored = Mapping[str, object]


def evidence(cells: Sequence[Cell]) -> dict[tuple[str, str], Evidence]:
    """Return the scores of table 1 (`xtreme`: of questions the mean of F1 and EM), and of tables 3 to 7 (F1)."""
    scores = [(cell, read_json(cell.score)) for cell in cells if cell.task in TASKS]
    known = learners(scores)
    scores = [(cell, score) for cell, score in scores if cell.task in known]
    main = [(cell, score) for cell, score in scores if cell.table == "table1"]
    others = [(cell, score) for cell, score in scores if cell.table != "table1"]
    # Where XLM-Align was trained again, as long as those that vary it, that one takes the place of table 1's.
    ablation = [(cell, score) for cell, score in [*main, *others] if cell.task in ABLATED]
    table1, table3 = transfer(main, True, known), transfer(ablation, False, known)
    return {
        ("xtreme", "all"): table1,
        ("xtreme_f1", "all"): transfer(main, False, known),
        ("xtreme_ablation", "all"): table3,
        ("xtreme_token_level", "all"): token_level(
            {"table1": (table1, "xlmr"), "table3": (table3, "no_dwa")}
        ),
    }


def learners(scores: Sequence[tuple[Cell, Scored]]) -> dict[str, set[str]]:
    """Return the systems that have learnt a task in the training language (`tasks.learnt`), of tasks that any has."""
    supervised: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
    floors: dict[str, float] = {}
    for cell, score in scores:
        if cell.source == cell.target:
            task = TASKS[cell.task]
            supervised[task.name, cell.system].append(score[task.learnt_by[1]])
            floors[task.name] = score.get(task.floor, 0.0)
    found: defaultdict[str, set[str]] = defaultdict(set)
    for (task, system), values in supervised.items():
        if is_learnt(values, floors[task]):
            found[task].add(system)
    return dict(found)


def transfer(
    scores: Sequence[tuple[Cell, Scored]], both: bool, known: Mapping[str, Collection[str]]
) -> Evidence:
    """Return the scores, in points; `both`: of questions the mean of F1 and exact match, else F1.

    `known`: the systems that have learnt a task.
    """
    found = Evidence("points", learners=known)
    groups: defaultdict[tuple[str, str, int], dict[str, Values]] = defaultdict(dict)
    for cell, score in scores:
        groups[cell.task, cell.system, cell.seed][cell.target] = _items(cell, score, both)
    for key, languages in groups.items():
        found.add(*key, contrast([(1 / len(languages), items) for items in languages.values()]))
    return found


def token_level(tables: Mapping[str, tuple[Evidence, str]]) -> Evidence:
    """Return what xlm_align gains on tasks of tokens over another less what it gains on classification, by table.

    Tasks that neither has learnt are left out.
    """
    found = Evidence("points")
    for table, (scores, other) in tables.items():
        compared = ("xlm_align", other)
        scores = scores.learnt_by(compared)
        classes = {name: TASKS[name].group == CLASSIFICATION for name in scores.values}
        if {*classes.values()} == {True, False} and {*compared} <= scores.systems():
            for seed in scores.seeds(compared):
                found.add(table, "xlm_align", seed, _token_level(scores, compared, seed, classes))
    return found


def _token_level(
    scores: Evidence, compared: tuple[str, str], seed: int, classes: Mapping[str, bool]
) -> Values:
    """Return values whose mean is the difference of two means over tasks: of classification they are taken off."""
    grids = {name: scores.grid(name, *compared, [seed]) for name in classes}
    tasks = Counter(classes.values())
    return contrast(
        [
            (
                (-1 if own else 1) / tasks[own],
                dict(zip(grids[name].items, grids[name].values[0], strict=True)),
            )
            for name, own in classes.items()
        ]
    )


def _items(cell: Cell, score: Scored, both: bool) -> Values:
    """Return the values by item of a file of scores, whose mean is the score: of questions by their ids."""
    keys = list(TASKS[cell.task].metrics.values())
    if "per_question" not in score:
        values = np.array(score["per_sentence"], dtype=np.float64)
        values += score[keys[0]] - values.mean()  # seqeval's F1, of spans as it reads them
        return {(cell.task, str(number)): value for number, value in enumerate(values.tolist())}
    columns = score["per_question"]
    chosen = [columns[key] for key in (keys if both else keys[:1])]
    return {
        (cell.task, name): sum(values) / len(values)
        for name, *values in zip(columns["id"], *chosen, strict=True)
    }
