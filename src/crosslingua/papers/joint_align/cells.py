"""What joint_align asks for: every system on every language pair, tables 1 and 2, figure 1."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from crosslingua.cells import Cell
from crosslingua.errors import ConfigError
from crosslingua.names import check_defined
from crosslingua.workflow import vectors
from crosslingua.workflow.lineage import lexicon_hash
from crosslingua.workflow.results import MAIN, Drawing, TableRequest
from crosslingua.workflow.text import dictionary_folder
from crosslingua.workflow.workflow import LexiconPair, Workflow

TABLES = {"table1": "identical=kept", "table2": "identical=dropped"}
METRICS = ("p_at_1", "p_at_5", "p_at_10", "coverage")


def check(w: Workflow) -> None:
    """Raise ConfigError when the section names a mapper, a pair or a system that is not there, or nothing is left."""
    if not w.lexicon_pairs:
        raise ConfigError(
            "pairs: none has a dictionary: add one (a data sheet, `dictionaries`), or leave joint_align out of `papers`"
        )
    vectors.check_systems(w)
    if figure := w.config["joint_align"]["figure1"]:
        key = "joint_align.figure1"
        if figure["pair"]:
            check_defined(f"{key}.pair", figure["pair"], w.lexicon_pairs, "the pairs with their dictionaries")
        vectors.check_system(w, f"{key}.refined_by", figure["refined_by"], mapped=True)


def groups(w: Workflow) -> list[str]:
    """Return the groups of cells."""
    return [MAIN]


def cells(w: Workflow, group: str) -> list[Cell]:
    """Return a cell for each system, seed, pair and table."""
    return [
        Cell(
            "joint_align", table, system, "bli", pair.source, pair.target, seed, _score(w, system, pair, seed),
            METRICS, lexicon_hash(w, pair, choice), where, conditions={"dictionary": pair.dictionary},
        )
        for pair in w.lexicon_pairs.values()
        for table, where in TABLES.items()
        for system, choice in w.systems.items()
        for seed in w.seeds
    ]  # fmt: skip


def scores(w: Workflow, group: str) -> list[str]:
    """Return the files of scores."""
    pairs = w.lexicon_pairs.values()
    return [_score(w, system, pair, seed) for pair in pairs for system in w.systems for seed in w.seeds]


def tables(w: Workflow) -> dict[str, TableRequest]:
    """Return the tables."""
    return {name: TableRequest() for name in TABLES}


def evidence(w: Workflow) -> dict[str, list[str]]:
    """Return what claims are tested on besides precision: what reallocation moves, and how near translations are."""
    found: dict[str, list[str]] = {}
    if any(choice["embeddings"] == "joint_vr" for choice in w.systems.values()):
        folder = vectors.embeddings_folder(w)
        found["divisions"] = [f"{folder}/joint_vr/{name}/division.json" for name in w.lexicon_pairs]
    if w.config["joint_align"]["figure1"]:
        found["similarities"] = [f"{w.results}/similarity/{name}.json" for name in w.lexicon_pairs]
    return found


def drawings(w: Workflow) -> dict[str, Drawing]:
    """Return figure 1 and its companions; none where the figure is not asked for."""
    figure = w.config["joint_align"]["figure1"]
    if not figure:
        return {}
    pair = figure_pair(w)
    scale = f"Scale {w.config['scale']}, {pair.name}"
    told = {
        "similarity": "test dictionary without pairs of one surface form, all seeds; dashed: means.",
        "hubness": "neighbours by cosine among the 20,000 most frequent words of either language.",
    }
    measured = {name: {"measured": [f"{w.results}/{name}/{pair.name}.json"]} for name in told}
    return {"figure1": _figure1(w, figure, pair, scale)} | {
        name: Drawing(name, measured[name], {"caption": f"{scale}; {text}"}) for name, text in told.items()
    }


def figure_pair(w: Workflow) -> LexiconPair:
    """Return the pair of the figures."""
    named = w.config["joint_align"]["figure1"]["pair"]
    return w.lexicon_pairs[named or next(iter(w.lexicon_pairs))]


def stage_files(w: Workflow, stage: str, pair: LexiconPair, seed: int, name: str) -> str:
    """Return a pair's vectors in a stage of figure 1: joint, reallocated, refined."""
    if stage == "refined":
        return vectors.mapped(w, w.config["joint_align"]["figure1"]["refined_by"], pair, seed, name)
    return vectors.space(w, {"joint": "joint", "reallocated": "joint_vr"}[stage], pair, seed, name)


STAGES = ("joint", "reallocated", "refined")


def _figure1(w: Workflow, figure: Mapping[str, Any], pair: LexiconPair, scale: str) -> Drawing:
    seed = w.seeds[0]
    inputs = {
        side: [stage_files(w, stage, pair, seed, f"{side}.vec") for stage in STAGES] for side in vectors.SIDES
    }
    shared = ("joint", "reallocated", "reallocated")
    inputs["shared"] = [stage_files(w, stage, pair, seed, "shared.txt") for stage in shared]
    inputs["dictionary"] = [f"{dictionary_folder(w, pair.name)}/test.txt"]
    settings = {
        "languages": [pair.source, pair.target],
        "words": figure["words_shown"],
        "pairs": figure["labelled_pairs"],
        "caption": f"{scale}, seed {seed}; first two principal components of (a).",
    }
    return Drawing("figure1", inputs, settings)


def _score(w: Workflow, system: str, pair: LexiconPair, seed: int) -> str:
    return f"{vectors.lexicon_folder(w, pair.name, system)}/seed{seed}.json"


def similarity_inputs(w: Workflow, pair: LexiconPair) -> list[str]:
    """Return the vectors and shared words that measuring the stages of figure 1 reads."""
    cells = _similarity_cells(w, pair)
    return list(dict.fromkeys(cell[key] for cell in cells for key in ("source", "target", "shared")))


def similarity_plan(w: Workflow, pair: LexiconPair) -> str:
    """Write the cells that measure how near translations are, one a stage and seed; return the file."""
    return w.plan(f"measure_similarity/{pair.name}", _similarity_cells(w, pair))


def _similarity_cells(w: Workflow, pair: LexiconPair) -> list[dict[str, Any]]:
    return [
        {"pair": pair.name, "stage": stage, "seed": seed}
        | {side: stage_files(w, stage, pair, seed, f"{side}.vec") for side in vectors.SIDES}
        | {"shared": stage_files(w, "joint", pair, seed, "shared.txt")}
        for seed in w.seeds
        for stage in STAGES
    ]


def hubness_inputs(w: Workflow, pair: LexiconPair) -> list[str]:
    """Return the vectors of every system."""
    return [file for system in w.systems for file in vectors.final_vectors(w, system, pair)]


def hubness_plan(w: Workflow, pair: LexiconPair) -> str:
    """Write the cells that measure hubness, one a system and seed; return the file."""
    cells = [
        {"system": system, "seed": seed}
        | {side: vectors.final(w, system, pair, seed, f"{side}.vec") for side in vectors.SIDES}
        for system in w.systems
        for seed in w.seeds
    ]
    return w.plan(f"measure_hubness/{pair.name}", cells)
