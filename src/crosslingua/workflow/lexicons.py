"""Jobs of lexicon induction: answers and scores."""

from collections.abc import Iterable, Iterator
from itertools import chain, product
from typing import Any

from crosslingua.mappers import MAPPERS
from crosslingua.workflow.jobs import In, Job
from crosslingua.workflow.vectors import (
    SELECTED,
    SIDES,
    dictionary_part,
    embeddings_folder,
    final,
    mapped,
    mapper_settings,
    needs_dictionary,
    supervision,
    systems_of,
    variants,
)
from crosslingua.workflow.workflow import LexiconPair, Workflow, settings_words

RETRIEVAL = "crosslingua.lexicon_induction.retrieval"


def score_file(w: Workflow, system: str, pair: LexiconPair, seed: int, variant: str = SELECTED) -> In:
    """Return the scores of a system on a pair. One job scores all systems on a pair of the curve."""
    together = f"{w.results}/lexicon_induction/{pair.name}/{supervision(w, w.systems[system])}"
    made_by = together if pair.name in w.curve_pairs else f"{together}/{system}"
    return In(f"{together}/{system}/{variant}seed{seed}.json", made_by)


def lexicon_jobs(w: Workflow) -> Iterator[Job]:
    """Yield the jobs that induce lexicons: a job a system and pair, or a job for all systems on a pair of the curve."""
    for pair in w.lexicon_pairs.values():
        for system in systems_of(w, pair):
            yield _induction(w, f"{pair.name}.{system}", pair, [system])
    needing = [name for name, choice in w.systems.items() if needs_dictionary(w, choice)]
    for pair in w.curve_pairs.values() if needing else ():
        yield _induction(w, pair.name, pair, needing)


def _induction(w: Workflow, name: str, pair: LexiconPair, systems: Iterable[str]) -> Job:
    section = w.config.lexicon_induction
    options: dict[str, Any] = {"retrieval": section.retrieval, "neighbours": section.neighbours}
    if pair.dictionary:
        gold = [dictionary_part(w, pair, "test")]
        options = {"identical": ["kept", "dropped"], **dict(section), "dictionary": gold}
    lines = []
    for system in systems:
        every = product(variants(w, w.systems[system], pair), w.seeds)
        lines += [_line(w, system, pair, seed, variant) for variant, seed in every]
    options |= {"max_vocabulary": w.config.word_embeddings["max_vocabulary"]} | w.on_gpu
    return Job("induce_lexicon.py", f"induce_lexicon/{name}", lines, options, [RETRIEVAL])


def _line(w: Workflow, system: str, pair: LexiconPair, seed: int, variant: str) -> dict[str, str]:
    out = str(score_file(w, system, pair, seed, variant))
    has_mapper = w.systems[system].mapper is not None
    return {
        **{side: In(final(w, system, pair, seed, f"{side}.vec", variant)) for side in SIDES},
        "mapping": In(mapped(w, system, pair, seed, "details.json", variant)) if has_mapper else "",
        "out": out,
        "predictions": out.removesuffix(".json") + ".predictions.tsv",
    }


# The differences between the vectors of one language that control unsupervised mappers.
CONTROLS = ("other_seed", "other_half")
# The line above them, which is given every second word as a dictionary: Procrustes as published.
UPPER_LINE, UPPER_MAPPER = "supervised", "procrustes"


def controlled(w: Workflow) -> list[str]:
    """Return the systems that map independent vectors without a dictionary; none where no control is asked for."""
    if not w.vectors.controls or not w.pairs:
        return []
    return [
        name
        for name, choice in w.systems.items()
        if choice.mapper and choice.embeddings == "independent" and not needs_dictionary(w, choice)
    ]


def control_kinds(w: Workflow) -> tuple[str, ...]:
    """Return the kinds of controls: with one seed there are no vectors of another."""
    return CONTROLS if len(w.seeds) > 1 else ("other_half",)


def control_language(w: Workflow) -> str:
    """Return the language that is mapped onto itself: the first pair's source."""
    return w.pairs[0][0]


def control_score(w: Workflow, system: str, kind: str, seed: int) -> In:
    """Return the scores of a control."""
    return In(f"{w.results}/embedding_alignment/control/{kind}/{system}/seed{seed}.json")


def control_seeds(w: Workflow) -> range:
    """Return the seeds of a mapper's controls."""
    return range(1, (w.vectors.controls or 0) + 1)


def control_scores(w: Workflow) -> list[str]:
    """Return the scores of all controls."""
    return [line["out"] for line in _control_lines(w)]


def control_jobs(w: Workflow) -> Iterator[Job]:
    """Yield the job of the controls, where there are any."""
    if lines := _control_lines(w):
        systems = [w.systems[name] for name in controlled(w)]
        modules = [MAPPERS.modules(choice.mapper, mapper_settings(w, choice)) for choice in systems]
        members = list(dict.fromkeys(chain(*modules, MAPPERS.modules(UPPER_MAPPER))))
        yield Job("control_mappers.py", "control_mappers", lines, members=members)


def _control_lines(w: Workflow) -> list[dict[str, Any]]:
    systems = controlled(w)
    every = product([*systems, UPPER_LINE] if systems else [], control_kinds(w), control_seeds(w))
    return [_control_line(w, *one) for one in every]


def _control_line(w: Workflow, system: str, kind: str, seed: int) -> dict[str, Any]:
    first, second = (w.seeds[(seed - 1 + place) % len(w.seeds)] for place in (0, 1))
    halves = (f"even.seed{w.seeds[0]}", f"odd.seed{w.seeds[0]}")
    names = halves if kind == "other_half" else (f"seed{first}", f"seed{second}")
    folder = f"{embeddings_folder(w)}/independent/{control_language(w)}"
    mapper, settings = UPPER_MAPPER, {}
    if system != UPPER_LINE:
        mapper, settings = w.systems[system].mapper, mapper_settings(w, w.systems[system])
    return {
        **{side: In(f"{folder}/{name}.vec") for side, name in zip(SIDES, names, strict=True)},
        "mapper": mapper,
        "set": settings_words(settings),
        "seed": seed,
        "out": str(control_score(w, system, kind, seed)),
    }


MEASURES = ("similarity", "hubness")


def measure_jobs(w: Workflow) -> Iterator[Job]:
    """Yield the jobs that measure the spaces of a pair: `similarity(w, pair)` and `hubness(w, pair)` of papers."""
    for measure in MEASURES:
        for pair in w.lexicon_pairs.values():
            if lines := w.of_papers(lambda paper, of=measure, pair=pair: getattr(paper, of)(pair)):
                yield Job(f"measure_{measure}.py", f"measure_{measure}/{pair.name}", lines)
