"""Jobs of lexicon induction: answers and scores."""

from collections.abc import Iterable
from pathlib import PurePath
from typing import Any

from crosslingua.workflow.text import dictionary_folder
from crosslingua.workflow.vectors import (
    SELECTED,
    SIDES,
    embeddings_folder,
    final,
    mapped,
    mapper_settings,
    needs_dictionary,
    supervision,
    variants,
)
from crosslingua.workflow.workflow import LexiconPair, Workflow, asked_by_all, settings_words


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


# Jobs that control unsupervised mappers: on one language twice, which they must solve.


# What the vectors of one language differ in, by which unsupervised mappers are controlled.
CONTROLS = ("other_seed", "other_half")


def controlled(w: Workflow) -> list[str]:
    """Return the systems that map independent vectors without a dictionary; none where no control is asked for."""
    if not w.vectors["controls"] or not w.pairs:
        return []
    return [
        name
        for name, choice in w.systems.items()
        if choice["mapper"] and choice["embeddings"] == "independent" and not needs_dictionary(w, choice)
    ]


def control_kinds(w: Workflow) -> tuple[str, ...]:
    """Return the kinds of controls: with one seed there are no vectors of another."""
    return CONTROLS if len(w.seeds) > 1 else ("other_half",)


def control_language(w: Workflow) -> str:
    """Return the language that is mapped onto itself: the first pair's source."""
    return w.pairs[0][0]


def control_score(w: Workflow, system: str, kind: str, seed: int) -> str:
    """Return the scores of a control."""
    return f"{w.results}/embedding_alignment/control/{kind}/{system}/seed{seed}.json"


def control_seeds(w: Workflow) -> range:
    """Return the seeds of a mapper's controls."""
    return range(1, (w.vectors["controls"] or 0) + 1)


def control_scores(w: Workflow) -> list[str]:
    """Return the scores of all controls."""
    return [cell["out"] for cell in _controls(w)]


def control_inputs(w: Workflow) -> list[str]:
    """Return the vectors that controls read."""
    return list(dict.fromkeys(cell[side] for cell in _controls(w) for side in SIDES))


def control_plan(w: Workflow) -> str:
    """Write the cells of the controls, one a system, kind and seed; return the file."""
    return w.plan("control_mappers", _controls(w))


def _controls(w: Workflow) -> list[dict[str, Any]]:
    folder = f"{embeddings_folder(w)}/independent/{control_language(w)}" if w.pairs else ""
    found = []
    for system in controlled(w):
        choice = w.systems[system]
        for kind in control_kinds(w):
            for seed in control_seeds(w):
                one, other = (w.seeds[(seed - 1 + i) % len(w.seeds)] for i in (0, 1))
                names = (f"even.seed{w.seeds[0]}", f"odd.seed{w.seeds[0]}")
                names = names if kind == "other_half" else (f"seed{one}", f"seed{other}")
                cell = {side: f"{folder}/{name}.vec" for side, name in zip(SIDES, names, strict=True)}
                cell |= {"mapper": choice["mapper"], "set": settings_words(mapper_settings(w, choice))}
                found.append(cell | {"seed": seed, "out": control_score(w, system, kind, seed)})
    return found


# Jobs that measure the spaces of word vectors of a language pair.
#
# A paper's `cells.py` returns the cells of a pair by what is measured: `similarity(w, pair)`, how near
# translations are, and `hubness(w, pair)`, which words are neighbours of many.


FILES = ("source", "target", "shared", "mapping", "dictionary")


def measure_inputs(w: Workflow, what: str, pair: LexiconPair) -> list[str]:
    """Return the files that the cells read: vectors, shared words, reports of mappings, a dictionary."""
    cells = asked_by_all(w, what, pair)
    return list(dict.fromkeys(cell[name] for cell in cells for name in FILES if cell.get(name)))


def measure_plan(w: Workflow, what: str, pair: LexiconPair) -> str:
    """Write the cells; return the file."""
    return w.plan(f"measure_{what}/{pair.name}", asked_by_all(w, what, pair))
