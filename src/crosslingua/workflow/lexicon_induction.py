"""Jobs of lexicon induction: answers and scores, and the mappers' controls."""

from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import chain, product
from operator import methodcaller
from typing import Any

from crosslingua.mappers import MAPPERS
from crosslingua.workflow.jobs import In, Job
from crosslingua.workflow.vectors import (
    SELECTED,
    SIDES,
    all_systems,
    dictionary_part,
    embeddings_folder,
    systems_of,
)
from crosslingua.workflow.workflow import LexiconPair, Workflow, settings_words

RETRIEVAL = "crosslingua.lexicon_induction.retrieval"
# The differences between the vectors of one language that control unsupervised mappers.
CONTROLS = ("other_seed", "other_half")
# The line above them, which is given every second word as a dictionary: Procrustes as published.
UPPER_LINE, UPPER_MAPPER = "supervised", "procrustes"
MEASURES = ("similarity", "hubness")


def score_file(w: Workflow, system: str, pair: LexiconPair, seed: int, variant: str = SELECTED) -> In:
    """Return the scores of a system on a pair. One job scores all systems on a pair of the curve, or on any pair where
    systems are together.
    """
    supervision = "supervised" if all_systems(w)[system].needs_dictionary else "unsupervised"
    of_pair = f"{w.results}/lexicon_induction/{pair.name}"
    together = f"{of_pair}/{supervision}"
    made_by = together if pair.name in w.curve_pairs else f"{together}/{system}"
    return In(f"{together}/{system}/{variant}seed{seed}.json", of_pair if w.vectors.together else made_by)


def lexicon_jobs(w: Workflow) -> Iterator[Job]:
    """Yield the jobs that induce lexicons: a job a system and pair, or a job for all systems on a pair of the curve."""
    for pair in w.lexicon_pairs.values():
        if w.vectors.together and (systems := systems_of(w, pair)):
            yield _induction(w, pair.name, pair, systems)
            continue
        for system in systems_of(w, pair):
            yield _induction(w, f"{pair.name}.{system}", pair, [system])
    needing = [name for name, system in all_systems(w).items() if system.needs_dictionary]
    for pair in w.curve_pairs.values() if needing else ():
        yield _induction(w, pair.name, pair, needing)


def _induction(w: Workflow, name: str, pair: LexiconPair, systems: Iterable[str]) -> Job:
    section = w.config.lexicon_induction
    options: dict[str, Any] = {"retrieval": section.retrieval, "neighbours": section.neighbours}
    if pair.dictionary:
        gold = [dictionary_part(w, pair, "test")]
        options = {"identical": ["kept", "dropped"], **dict(section), "dictionary": gold}
    options |= {"max_vocabulary": w.config.word_embeddings["max_vocabulary"]} | w.on_gpu
    lines = []
    for system in (all_systems(w)[name] for name in systems):
        for variant, seed in product(system.variants(pair), w.seeds):
            out = str(score_file(w, system.name, pair, seed, variant))
            lines.append({
                **{side: In(system.final(pair, seed, f"{side}.vec", variant)) for side in SIDES},
                "mapping": In(system.mapped(pair, seed, "details.json", variant)) if system.mapper else "",
                "out": out,
                "predictions": out.removesuffix(".json") + ".predictions.tsv",
            })  # fmt: skip
    return Job("induce_lexicon.py", f"induce_lexicon/{name}", lines, options, [RETRIEVAL])


class Controls:
    """The controls of mappers without a dictionary: they map the first pair's source language onto itself."""

    def __init__(self, w: Workflow):
        self.w, self.language = w, w.pairs[0][0] if w.pairs else ""
        # With one seed there are no vectors of another.
        self.kinds = CONTROLS if len(w.seeds) > 1 else ("other_half",)
        self.seeds = range(1, (w.vectors.controls or 0) + 1)

    @cached_property
    def systems(self) -> list[str]:
        """The systems that map independent vectors without a dictionary; none where no control is asked for."""
        asked = all_systems(self.w).values() if self.seeds and self.language else ()
        independent = (system for system in asked if system.mapper and system.embeddings == "independent")
        return [system.name for system in independent if not system.needs_dictionary]

    def score(self, system: str, kind: str, seed: int) -> In:
        """Return the scores of a control."""
        return In(f"{self.w.results}/embedding_alignment/control/{kind}/{system}/seed{seed}.json")

    def jobs(self) -> Iterator[Job]:
        """Yield the job of the controls, where there are any."""
        if not self.systems:
            return
        runs, systems = self.w.seeds, [all_systems(self.w)[name] for name in self.systems]
        mappers = {system.name: (system.mapper, system.settings) for system in systems if system.mapper}
        mappers[UPPER_LINE] = UPPER_MAPPER, {}
        folder, lines = f"{embeddings_folder(self.w)}/independent/{self.language}", []
        for name, kind, seed in product(mappers, self.kinds, self.seeds):
            read = [f"even.seed{runs[0]}", f"odd.seed{runs[0]}"]
            if kind == "other_seed":
                read = [f"seed{runs[(seed - 1 + place) % len(runs)]}" for place in (0, 1)]
            mapper, settings = mappers[name]
            lines.append({
                **{side: In(f"{folder}/{run}.vec") for side, run in zip(SIDES, read, strict=True)},
                "mapper": mapper,
                "set": settings_words(settings),
                "seed": seed,
                "out": str(self.score(name, kind, seed)),
            })  # fmt: skip
        members = list(dict.fromkeys(chain(*(MAPPERS.modules(*mapper) for mapper in mappers.values()))))
        yield Job("control_mappers.py", "control_mappers", lines, members=members)


def measure_jobs(w: Workflow) -> Iterator[Job]:
    """Yield the jobs that measure the spaces of a pair: `similarity(w, pair)` and `hubness(w, pair)` of papers."""
    for measure, pair in product(MEASURES, w.lexicon_pairs.values()):
        if lines := w.of_papers(methodcaller(measure, pair)):
            yield Job(f"measure_{measure}.py", f"measure_{measure}/{pair.name}", lines)
