"""The cells of tables 2 and 3, figures 3 and 4, of the sign tests, and of the mappings of static vectors."""

from __future__ import annotations

from collections.abc import Iterator

from crosslingua.cells import Cell
from crosslingua.config import digest
from crosslingua.papers.laser_taggers.compared import COMPARED_WITH, comparisons
from crosslingua.papers.laser_taggers.lineage import system_hash
from crosslingua.papers.laser_taggers.places import Results
from crosslingua.papers.laser_taggers.scale import (
    MAJORITY,
    PAPER,
    distant,
    languages,
    lexicon_pair,
    source,
    systems,
    targets,
    tasks,
)
from crosslingua.papers.laser_taggers.settings import (
    FIGURES,
    METRICS,
    MONOLINGUAL,
    SCENARIO_A,
    SCENARIO_B,
    ZERO_SHOT,
)
from crosslingua.workflow.comparisons import comparison_file
from crosslingua.workflow.lexicons import lexicon_folder
from crosslingua.workflow.lineage import vector_lineage
from crosslingua.workflow.workflow import LexiconPair, Workflow


def cells(w: Workflow, group: str) -> list[Cell]:
    """Return the cells of tables 2 and 3, figures 3 and 4, the sign tests, and whether mapped vectors are any good."""
    where = Results(w)
    order = [*systems(w), MAJORITY]
    found = [cell for task in tasks(w) for system in order for cell in _cells(w, where, task, system)]
    return [*found, *_significance(w), *_mapping_cells(w)]


def _cells(w: Workflow, where: Results, task: str, system: str) -> Iterator[Cell]:
    every = [source(w, task), *targets(w, task), *distant(w, task)]
    for target in every:
        zero = "source" if target == source(w, task) else "zero_shot"
        yield from _scored(w, where, "table2", system, task, target, zero, ZERO_SHOT)
        mono = f"{MONOLINGUAL}_{target}"
        yield from _scored(w, where, "table2", system, task, target, "monolingual", mono)
    for target in every:
        yield from _scored(w, where, "table3", system, task, target, "scenario_a", SCENARIO_A)
        yield from _scored(w, where, "table3", system, task, target, "change", SCENARIO_B, SCENARIO_A)
        base = ZERO_SHOT if target == source(w, task) else SCENARIO_A  # the source's own data alone
        if task in FIGURES:
            yield from _scored(w, where, FIGURES[task], system, task, target, "gain", SCENARIO_B, base)


def _scored(
    w: Workflow, where: Results, table: str, system: str, task: str, target: str, metric: str, setting: str,
    less: str = "",
) -> Iterator[Cell]:  # fmt: skip
    """Yield a cell for each seed of a system in a setting, less its score in another; none where it was not run."""
    if not where.has(system, task, setting, target):
        return
    key, config_hash = METRICS[task], system_hash(w, system, task)
    conll = {"f1": (f"{metric}_conll=f1_conll",)}.get(key, ())  # as conlleval counts spans
    for seed in where.seeds(system, task, setting, target):
        score = where.score(system, task, setting, target, seed)
        base = where.score(system, task, less, target, seed) if less else ""
        metrics = (f"{metric}={key}", *conll)
        yield Cell(
            PAPER, table, system, task, *languages(w, task, target), seed, score, metrics, config_hash, less=base,
            conditions={"distant": "yes"} if target in distant(w, task) else {},
        )  # fmt: skip


def _significance(w: Workflow) -> Iterator[Cell]:
    for one in comparisons(w):
        system, run, _ = one.name.split("/")
        made, config_hash = comparison_file(w, PAPER, one.name), system_hash(w, system, one.task)
        yield Cell(
            PAPER, "table2", system, one.task, *languages(w, one.task, one.tested), int(run.removeprefix("seed")), made,
            ("p_value",), config_hash, conditions={"against": COMPARED_WITH},
        )  # fmt: skip


def lexicons(w: Workflow) -> list[tuple[tuple[str, LexiconPair, int], str]]:
    """Return the scores of lexicon induction of mapped vectors, by system, pair and seed."""
    wanted = [(task, name) for task in tasks(w) for name in (*targets(w, task), *distant(w, task))]
    return [
        ((name, pair, seed), f"{lexicon_folder(w, pair.name, one['vectors'])}/seed{seed}.json")
        for name, one in systems(w, "vectors").items()
        for pair in dict.fromkeys(lexicon_pair(w, name, *of) for of in wanted)
        if pair and pair.dictionary
        for seed in w.seeds
    ]


def _mapping_cells(w: Workflow) -> Iterator[Cell]:
    for (name, pair, seed), path in lexicons(w):
        config_hash = digest(*vector_lineage(w, pair, w.systems[systems(w)[name]["vectors"]]))
        yield Cell(
            PAPER, "table2", name, "bli", pair.source, pair.target, seed, path, ("p_at_1",), config_hash,
            "identical=kept",
        )  # fmt: skip
