"""The taggers: on embedders, on mapped vectors, of the most frequent tag; where their results lie."""

from collections.abc import Iterator, Mapping
from typing import Any

from crosslingua.embedders import EMBEDDERS
from crosslingua.papers.laser_taggers.scale import (
    MAJORITY,
    MONOLINGUAL,
    PAPER,
    RANDOM,
    RECIPES,
    SCORED_ON_TRAINING,
    TAGGER,
    TRANSFORMER,
    ZERO_SHOT,
    Setting,
    distant,
    lexicon_pair,
    section,
    seeds,
    source,
    systems,
    targets,
    tasks,
    tested,
    trainings,
)
from crosslingua.workflow.encoders import laser_encoders
from crosslingua.workflow.fine_tuning import Prediction, Tuning, score_file
from crosslingua.workflow.jobs import In
from crosslingua.workflow.results import MAIN
from crosslingua.workflow.tagging import Compared, EmbeddedSet, Embedding, Mixture, TaggerRun
from crosslingua.workflow.vectors import final
from crosslingua.workflow.workflow import LexiconPair, Workflow, in_turn


def every_tagger(w: Workflow) -> Iterator[tuple[str, str, TaggerRun]]:
    """Yield each tagger with its system and setting; of mapped vectors there is one a language pair."""
    for task in tasks(w):
        for name, one in systems(w, "embedder").items():
            for setting in trainings(w, task):
                if _runs_in(name, setting.name):
                    yield name, setting.name, _on_features(w, task, name, one, setting)
        for name in systems(w, "vectors"):
            yield from ((name, *found) for found in _on_vectors(w, task, name))
        yield MAJORITY, ZERO_SHOT, _majority(w, task)


def _runs_in(system: str, setting: str) -> bool:
    """Whether a system is trained in a setting; the control only where it is compared with."""
    return system != RANDOM or setting == ZERO_SHOT


def _on_features(w: Workflow, task: str, name: str, one: Mapping[str, Any], setting: Setting) -> TaggerRun:
    embeddings = _embeddings(w, name, one)
    train = tuple(EmbeddedSet(language, embeddings, share) for language, share in setting.parts)
    test = tuple(EmbeddedSet(language, embeddings) for language in tested(w, task, setting.name))
    job = one.get("recipe", "baseline")
    own = f"{name}/{setting.name}.{task}"
    settings = recipe(w, job)
    if name in SCORED_ON_TRAINING and setting.name == ZERO_SHOT:
        settings["score_training"] = True
    return TaggerRun(own, job, task, TAGGER, train, test, settings, tuple(seeds(w)))


def recipe(w: Workflow, name: str) -> dict[str, Any]:
    """Return how a tagger is trained: as published, but for what the configuration says."""
    return {**RECIPES[name], **(section(w)["tagger"] or {}), **(section(w)["recipes"].get(name) or {})}


def _embeddings(w: Workflow, name: str, one: Mapping[str, Any]) -> tuple[Embedding, ...]:
    """Return how words are embedded, one a seed."""
    if "encoder" not in EMBEDDERS.needs(one["embedder"]):
        return tuple(Embedding(f"{name}.seed{seed}", one["embedder"], {"seed": seed}) for seed in seeds(w))
    folders = dict(zip(w.tagged_encoder_seeds, laser_encoders(w), strict=True))
    return tuple(
        Embedding(f"{name}.seed{run}", one["embedder"], {"encoder": In(folders[run])})
        for run in in_turn(w.tagged_encoder_seeds, seeds(w))
    )


def _on_vectors(w: Workflow, task: str, name: str) -> Iterator[tuple[str, TaggerRun]]:
    """Yield the taggers on mapped vectors: of the source for each target, and of each target."""
    settings = {one.name: one for one in trainings(w, task)}
    share, first = section(w)["share"], True
    for target in (*targets(w, task), *distant(w, task)):
        pair = lexicon_pair(w, name, task, target)
        if pair is None:
            continue
        sides = [_mapped(w, name, pair, side) for side in ("source", "target")]
        train = (EmbeddedSet(source(w, task), sides[0], share),)
        test = (EmbeddedSet(target, sides[1]), *([EmbeddedSet(source(w, task), sides[0])] if first else []))
        yield ZERO_SHOT, _vector_tagger(w, task, f"{name}/{ZERO_SHOT}_{target}", train, test)
        first = False
        if f"{MONOLINGUAL}_{target}" in settings:
            own = (EmbeddedSet(target, sides[1], share),), (EmbeddedSet(target, sides[1]),)
            yield f"{MONOLINGUAL}_{target}", _vector_tagger(w, task, f"{name}/{MONOLINGUAL}_{target}", *own)


def _vector_tagger(w: Workflow, task: str, name: str, train: tuple, test: tuple) -> TaggerRun:
    settings = recipe(w, "baseline")
    return TaggerRun(f"{name}.{task}", "baseline", task, TAGGER, train, test, settings, tuple(seeds(w)))


def _mapped(w: Workflow, name: str, pair: LexiconPair, side: str) -> tuple[Embedding, ...]:
    """Return the mapped vectors of one side of a pair, one a seed."""
    system = systems(w)[name]["vectors"]
    files = {run: final(w, system, pair, run, f"{side}.vec") for run in w.seeds}
    return tuple(
        Embedding(f"{name}.{pair.name}.{side}.seed{run}", "static_vectors", {"vectors": In(files[run])})
        for run in in_turn(w.seeds, seeds(w))
    )


def _majority(w: Workflow, task: str) -> TaggerRun:
    """Return the tagger that gives every word the most frequent tag; it reads no vector."""
    words = (Embedding(f"{RANDOM}.seed{seeds(w)[0]}", "random_vectors", {"seed": seeds(w)[0]}),)
    train = (EmbeddedSet(source(w, task), words, section(w)["share"]),)
    test = tuple(EmbeddedSet(language, words) for language in tested(w, task, ZERO_SHOT))
    settings = {"epochs": 1, "patience": 0}
    return TaggerRun(f"{MAJORITY}.{task}", "baseline", task, MAJORITY, train, test, settings, (seeds(w)[0],))


# Encoders that are fine-tuned whole: they read words in lower case, as all systems of the paper do.


LOWER = f"{PAPER}_"  # what the names of lower-case sets begin with


def lower(name: str) -> str:
    """Return the name of a set in lower case."""
    return f"{LOWER}{name}"


def mixtures(w: Workflow) -> list[Mixture]:
    """Return the data of fine-tuned encoders: every training set, and what is only tested."""
    if not systems(w, "encoder"):
        return []
    return [one for task in tasks(w) for one in _mixtures(w, task)]


def _mixtures(w: Workflow, task: str) -> Iterator[Mixture]:
    for one in trainings(w, task):
        yield Mixture(task, lower(one.name), one.parts)
    for language in tested(w, task, ZERO_SHOT):
        yield Mixture(task, lower(language), ((language, 1.0),), ("test",))


def fine_tunings(w: Workflow) -> dict[str, list[Tuning]]:
    """Return the fine-tunings, one an encoder: in every setting, tested on all languages."""
    return {MAIN: [_tuning(w, one["encoder"]) for one in systems(w, "encoder").values()]}


def _tuning(w: Workflow, encoder: str) -> Tuning:
    train = tuple((task, lower(one.name)) for task in tasks(w) for one in trainings(w, task))
    test = tuple((task, lower(name)) for task in tasks(w) for name in tested(w, task, ZERO_SHOT))
    settings = {**TRANSFORMER, **(section(w)["recipes"].get("transformer") or {})}
    every = dict.fromkeys(tasks(w), settings)
    runs = tuple(in_turn(w.tagged_encoder_seeds, seeds(w)))
    return Tuning(encoder, train, test, every, seeds=tuple(seeds(w)), runs=runs)


# Where the scores and predictions of every system, setting and language are.


class Results:
    """Where the scores and predictions of every system, setting and language are; (task, setting, target) -> seeds."""

    def __init__(self, w: Workflow):
        self.w = w
        self._taggers: dict[tuple[str, str, str, str], TaggerRun] = {}
        for system, setting, tagger in every_tagger(w):
            for one in tagger.test:
                self._taggers.setdefault((system, tagger.task, setting, one.name), tagger)

    def has(self, system: str, task: str, setting: str, target: str) -> bool:
        """Whether a system is tested so."""
        if system in systems(self.w, "encoder"):
            known = any(one.name == setting for one in trainings(self.w, task))
            return known and target in tested(self.w, task, setting)
        return (system, task, setting, target) in self._taggers

    def seeds(self, system: str, task: str, setting: str, target: str) -> tuple[int, ...]:
        """Return the seeds of a system."""
        if system in systems(self.w, "encoder"):
            return tuple(seeds(self.w))
        return self._taggers[system, task, setting, target].seeds

    def score(self, system: str, task: str, setting: str, target: str, seed: int) -> In:
        """Return the file of scores."""
        tuned = self._tuned(system, task, setting, target, seed)
        tagger = self._taggers.get((system, task, setting, target))
        score = tuned.score if tuned else tagger.score(seed, target)
        return score_file(self.w, PAPER, MAIN, score)

    def prediction(self, system: str, task: str, setting: str, target: str, seed: int) -> In:
        """Return the file of predictions."""
        if tuned := self._tuned(system, task, setting, target, seed):
            return tuned.file(self.w, PAPER)
        return self._taggers[system, task, setting, target].prediction(self.w, PAPER, seed, target)

    def _tuned(self, system: str, task: str, setting: str, target: str, seed: int) -> Prediction | None:
        encoder = systems(self.w, "encoder").get(system)
        return Prediction(encoder["encoder"], seed, task, lower(setting), lower(target)) if encoder else None


# The comparison of every system with LASER-top, for the sign test, figure 5 and the list of errors.


COMPARED_WITH = "laser_top"  # by the sign test
STATIC = "muse"  # whose errors are listed


def comparisons(w: Workflow) -> list[Compared]:
    """Return the comparison of every system with LASER-top in the zero-shot setting, seed by seed."""
    if COMPARED_WITH not in systems(w):
        return []
    where = Results(w)
    return [one for system in systems(w) if system != COMPARED_WITH for one in _compared(w, where, system)]


def _compared(w: Workflow, where: Results, system: str) -> Iterator[Compared]:
    for task in tasks(w):
        for target in tested(w, task, ZERO_SHOT):
            place = (task, ZERO_SHOT, target)
            if not where.has(system, *place):
                continue
            for seed in sorted(set(where.seeds(system, *place)) & set(where.seeds(COMPARED_WITH, *place))):
                first, second = (where.prediction(one, *place, seed) for one in (system, COMPARED_WITH))
                yield Compared(comparison(system, task, target, seed), task, target, first, second)


def comparison(system: str, task: str, target: str, seed: int) -> str:
    """Return the name of a comparison with LASER-top."""
    return f"{system}/seed{seed}/{task}.{target}"
