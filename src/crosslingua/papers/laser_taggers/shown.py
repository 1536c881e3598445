"""The tables and figures of a scale, and what is said below them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from crosslingua.papers.laser_taggers.compared import COMPARED_WITH, STATIC, comparison, comparisons
from crosslingua.papers.laser_taggers.scale import (
    PAPER,
    distant,
    languages,
    lexicon_pair,
    section,
    seeds,
    systems,
    targets,
    tasks,
    trainings,
)
from crosslingua.papers.laser_taggers.settings import MONOLINGUAL, SCENARIO_A
from crosslingua.workflow.comparisons import comparisons_folder
from crosslingua.workflow.results import MAIN, Drawing, TableRequest, rows_file, trained_on
from crosslingua.workflow.workflow import Workflow

ONLY_TESTED = ("eu", "hu")
PUBLISHED = {"ner": ("nl", "de", "es", *ONLY_TESTED), "pos": ("nl", "de", "es")}  # the targets of table 2


def tables(w: Workflow) -> dict[str, TableRequest]:
    """Return the tables; table 3 where there is joint training."""
    note = _note(w)
    jointly = [task for task in tasks(w) if any(one.name == SCENARIO_A for one in trainings(w, task))]
    lacking = [task for task in tasks(w) if task not in jointly]
    apart = (
        f"Not trained jointly at this scale (laser_taggers.joint): {', '.join(lacking).upper()}."
        if lacking
        else ""
    )
    found = {
        "table2": TableRequest(note=" ".join(filter(None, (note, *_absent(w), "" if jointly else apart))))
    }
    return found | ({"table3": TableRequest(note=" ".join(filter(None, (note, apart))))} if jointly else {})


def _note(w: Workflow) -> str:
    parts = [f"{name}: {one['vectors']}'s vectors." for name, one in systems(w, "vectors").items()]
    parts += [f"{name}: {one['encoder']}, fine-tuned." for name, one in systems(w, "encoder").items()]
    return " ".join(filter(None, [*parts, trained_on(section(w)["share"])]))


def _absent(w: Workflow) -> Iterator[str]:
    """Say why cells of table 2 are empty, of the tasks that have a language of the paper."""
    for task in tasks(w):
        own = {languages(w, task, name)[1]: name for name in (*targets(w, task), *distant(w, task))}
        if own.keys() & set(PUBLISHED.get(task, ())):
            yield from _absent_languages(w, task, own)
            yield from _absent_vectors(w, task, own)


def _absent_languages(w: Workflow, task: str, own: Mapping[str, str]) -> Iterator[str]:
    """Say of the paper's languages which a scale has not, or only to test; `own` are sets by language."""
    trained = {one.name for one in trainings(w, task)}
    for one in PUBLISHED[task]:
        if one not in own:
            yield f"{task.upper()} → {one}: no data of the paper's kind at hand."
        elif one not in ONLY_TESTED and f"{MONOLINGUAL}_{own[one]}" not in trained:
            yield f"{task.upper()} {one} alone: no training data at hand."


def _absent_vectors(w: Workflow, task: str, own: Mapping[str, str]) -> Iterator[str]:
    """Say which languages have no mapped vectors."""
    for name in systems(w, "vectors"):
        lacking = [one for one, target in own.items() if lexicon_pair(w, name, task, target) is None]
        if lacking:
            yield f"{task.upper()}: no mapped vectors ({name}) of {', '.join(lacking)}."


def drawings(w: Workflow) -> dict[str, Drawing]:
    """Return figures 3 and 4, joint training of either task, and 5, the confusion of B, I and O in a language."""
    rows, scale = [rows_file(w, PAPER, MAIN)], f"Scale {w.config['scale']}"
    found = {}
    for task, figure in (("ner", "figure3"), ("pos", "figure4")):
        if task in tasks(w) and any(one.name == SCENARIO_A for one in trainings(w, task)):
            found[figure] = Drawing(figure, {"rows": rows}, {"caption": scale})
    return found | _figure5(w)


def _confused(w: Workflow) -> tuple[str, list[str]]:
    """Return the first target of NER with static vectors, and their comparisons there, a seed each; "" without any."""
    known = {one.name for one in comparisons(w)}
    for target in targets(w, "ner") if "ner" in tasks(w) else ():
        names = [comparison(STATIC, "ner", target, seed) for seed in seeds(w)]
        if found := [name for name in names if name in known]:
            return target, found
    return "", []


def _figure5(w: Workflow) -> dict[str, Drawing]:
    target, names = _confused(w)
    if not names:
        return {}
    spoken = " to ".join(languages(w, "ner", target))
    settings = {
        "files": [f"{name}.json" for name in names],
        "names": [f"{STATIC} ({systems(w)[STATIC]['vectors']})", COMPARED_WITH],
        "caption": f"Scale {w.config['scale']}; {spoken}, sums over all seeds ({len(names)})",
    }
    return {"figure5": Drawing("figure5", {"folder": [comparisons_folder(w, PAPER)]}, settings)}
