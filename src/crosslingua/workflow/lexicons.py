"""Jobs of lexicon induction: answers and scores."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import PurePath
from typing import Any

from crosslingua.workflow.text import dictionary_folder
from crosslingua.workflow.vector_systems import SELECTED, needs_dictionary, supervision, variants
from crosslingua.workflow.vectors import SIDES, final, mapped
from crosslingua.workflow.workflow import LexiconPair, Workflow


def lexicon_folder(w: Workflow, pair: str, system: str) -> str:
    """Return the folder of a system's answers and scores on a pair."""
    return f"{w.results}/lexicon_induction/{pair}/{supervision(w, w.systems[system])}/{system}"


def lexicon_jobs(w: Workflow, scores: Iterable[str]) -> list[str]:
    """Return the folders, outputs of jobs, that hold some scores: what a job that reads these has as input."""
    return list(dict.fromkeys(_job(w, PurePath(score)) for score in scores))


def _job(w: Workflow, score: PurePath) -> str:
    """A system on a pair is a job; on a pair of the curve all systems are."""
    system, kind, pair = list(score.parents)[:3]
    return str(kind if pair.name in w.curve_pairs else system)


def score_file(w: Workflow, system: str, pair: LexiconPair, seed: int, variant: str = SELECTED) -> str:
    """Return the scores of a system's lexicon induction on a pair."""
    return f"{lexicon_folder(w, pair.name, system)}/{variant}seed{seed}.json"


def lexicon_inputs(w: Workflow, pair: LexiconPair, system: str = "") -> list[str]:
    """Return the vectors, and the reports of mapping, that inducing lexicons of a pair reads."""
    cells = _inductions(w, pair, system)
    return list(dict.fromkeys(c[name] for c in cells for name in (*SIDES, "mapping") if c[name]))


def lexicon_plan(w: Workflow, pair: LexiconPair, system: str = "") -> str:
    """Write the cells that induce lexicons, one a variant and seed; return the file.

    Those of a system, or of all that need a dictionary, which are compared over its size.
    """
    name = ".".join(filter(None, (pair.name, system)))
    return w.plan(f"induce_lexicon/{name}", _inductions(w, pair, system))


def _inductions(w: Workflow, pair: LexiconPair, system: str) -> list[dict[str, str]]:
    every = [system] if system else [name for name, one in w.systems.items() if needs_dictionary(w, one)]
    return [
        _induction(w, name, pair, seed, variant)
        for name in every
        for variant in variants(w, w.systems[name], pair)
        for seed in w.seeds
    ]


def _induction(w: Workflow, system: str, pair: LexiconPair, seed: int, variant: str) -> dict[str, str]:
    out = score_file(w, system, pair, seed, variant)
    has_mapper = w.systems[system]["mapper"] is not None
    return {
        **{side: final(w, system, pair, seed, f"{side}.vec", variant) for side in SIDES},
        "mapping": mapped(w, system, pair, seed, "details.json", variant) if has_mapper else "",
        "out": out,
        "predictions": out.removesuffix(".json") + ".predictions.tsv",
    }


def gold_dictionary(w: Workflow, pair: LexiconPair) -> list[str]:
    """Return the file of the dictionary that tests; none where a pair has none."""
    return [f"{dictionary_folder(w, pair.name)}/test.txt"] if pair.dictionary else []


def lexicon_options(w: Workflow, pair: LexiconPair) -> dict[str, Any]:
    """Return the options that all cells of a pair's lexicon induction share; without gold nothing is said of it."""
    own, size = w.config["lexicon_induction"], w.config["word_embeddings"]["max_vocabulary"]
    retrieval = {name: own[name] for name in ("retrieval", "neighbours")} | {"max_vocabulary": size}
    gold = {"identical": ["kept", "dropped"], **own, "dictionary": gold_dictionary(w, pair)}
    return gold | retrieval if pair.dictionary else retrieval
