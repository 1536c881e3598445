"""Jobs of lexicon induction: answers and scores."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import PurePath
from typing import Any

from crosslingua.workflow.text import dictionary_folder
from crosslingua.workflow.vector_systems import SELECTED, supervision, variants
from crosslingua.workflow.vectors import SIDES, final, mapped
from crosslingua.workflow.workflow import LexiconPair, Workflow


def lexicon_folder(w: Workflow, pair: str, system: str) -> str:
    """Return the folder of a system's answers and scores on a pair."""
    return f"{w.results}/lexicon_induction/{pair}/{supervision(w, w.systems[system])}/{system}"


def lexicon_jobs(scores: Iterable[str]) -> list[str]:
    """Return the folders, outputs of jobs, that hold some scores: what a job that reads these has as input."""
    return list(dict.fromkeys(str(PurePath(score).parents[1]) for score in scores))


def score_file(w: Workflow, system: str, pair: LexiconPair, seed: int, variant: str = SELECTED) -> str:
    """Return the scores of a system's lexicon induction on a pair."""
    return f"{lexicon_folder(w, pair.name, system)}/{variant}seed{seed}.json"


def lexicon_inputs(w: Workflow, kind: str, pair: LexiconPair) -> list[str]:
    """Return the vectors, and the reports of mapping, that inducing lexicons of a pair reads."""
    cells = _inductions(w, kind, pair)
    return list(dict.fromkeys(c[name] for c in cells for name in (*SIDES, "mapping") if c[name]))


def lexicon_plan(w: Workflow, kind: str, pair: LexiconPair) -> str:
    """Write the cells that induce lexicons, one a system, variant and seed; return the file.

    `kind`: of the systems that are supervised, which need a pair with a dictionary, or unsupervised.
    """
    return w.plan(f"induce_lexicon/{pair.name}.{kind}", _inductions(w, kind, pair))


def _inductions(w: Workflow, kind: str, pair: LexiconPair) -> list[dict[str, str]]:
    found = []
    for system, choice in w.systems.items():
        if supervision(w, choice) != kind:
            continue
        for variant in variants(w, choice, pair):
            for seed in w.seeds:
                out = score_file(w, system, pair, seed, variant)
                cell = {side: final(w, system, pair, seed, f"{side}.vec", variant) for side in SIDES}
                report = mapped(w, system, pair, seed, "details.json", variant) if choice["mapper"] else ""
                cell |= {"mapping": report, "out": out}
                found.append(cell | {"predictions": out.removesuffix(".json") + ".predictions.tsv"})
    return found


def gold_dictionary(w: Workflow, pair: LexiconPair) -> list[str]:
    """Return the file of the dictionary that tests; none where a pair has none."""
    return [f"{dictionary_folder(w, pair.name)}/test.txt"] if pair.dictionary else []


def lexicon_options(w: Workflow, pair: LexiconPair) -> dict[str, Any]:
    """Return the options that all cells of a pair's lexicon induction share; without gold nothing is said of it."""
    own, size = w.config["lexicon_induction"], w.config["word_embeddings"]["max_vocabulary"]
    retrieval = {name: own[name] for name in ("retrieval", "neighbours")} | {"max_vocabulary": size}
    gold = {"identical": ["kept", "dropped"], **own, "dictionary": gold_dictionary(w, pair)}
    return gold | retrieval if pair.dictionary else retrieval
