"""What a scale runs: its systems, tasks with their sets, training settings, taggers, and the places of results."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from crosslingua.embedders import EMBEDDERS
from crosslingua.errors import given
from crosslingua.papers.laser_taggers.section import LaserTaggersSection, TaggedSystem
from crosslingua.papers.laser_taggers.tables import EQUAL_RECIPE
from crosslingua.papers.shared import MAJORITY, ONE_PASS, WordReader, Words, embeddings
from crosslingua.tasks.kinds import KINDS
from crosslingua.workflow.encoders import laser_encoders
from crosslingua.workflow.fine_tuning import Prediction, score_file
from crosslingua.workflow.jobs import In
from crosslingua.workflow.labelled import chosen, transferred
from crosslingua.workflow.results import MAIN
from crosslingua.workflow.sources import present
from crosslingua.workflow.tagging import EmbeddedSet, TaggerRun
from crosslingua.workflow.vectors import SIDES, systems_of
from crosslingua.workflow.workflow import LexiconPair, Workflow, in_turn

NAME, RANDOM = "laser_taggers", "random"
QUARTER = 0.25  # of a training set, in joint training
ZERO_SHOT, MONOLINGUAL, SCENARIO_A, SCENARIO_B = "zero_shot", "monolingual", "scenario_a", "scenario_b"
# The accuracy of tags is their micro F1.
METRICS = {name: "f1" if kind.scheme == "bio2" else "accuracy" for name, kind in KINDS.items() if kind.tagged}
FIGURES = {"ner": "fig3", "pos": "fig4"}  # the paper's, of what the source's whole data adds
TAGGER = "transformer_crf"  # section 'Task-specific models'
# 'Baseline models': the defaults of train_tagger.py.
BASELINE: Mapping[str, Any] = {}
# 'LASER-based models': the 1cycle policy; dropout and L2 by Bayesian optimisation. The paper states neither the rate
# nor the number of trials; early stopping would cut the cycle short.
LASER: Mapping[str, Any] = {"optimiser": "one_cycle", "lr": 0.1, "patience": 0, "trials": 20}
# 'Transformer-based models': as Devlin et al. for NER.
TRANSFORMER: Mapping[str, Any] = {"epochs": 4, "batch_size": 16, "lr": 5e-5}
SCORED_ON_TRAINING = ("laser_top", "laser_elmo")  # zero-shot; their scores there are compared ('Results')
RECIPES = {"baseline": BASELINE, "laser": LASER}
Place = tuple[str, str, str, str]  # system, task, setting, target


@dataclass(frozen=True)
class Setting:
    """A training set: shares, 0 to 1, of the sets of languages. `name` is unique in a task."""

    name: str
    parts: tuple[tuple[str, float], ...]


def settings_of(
    source: str, targets: Sequence[str], distant: Sequence[str], share: float, joint: bool
) -> list[Setting]:
    """Return the training sets of a task, made of `share` of the data; a distant language is trained on only by itself.
    Scenario A has a quarter of each language, scenario B all of the source and a quarter of the others.
    """
    found = [Setting(ZERO_SHOT, ((source, share),))]
    found += [Setting(f"{MONOLINGUAL}_{target}", ((target, share),)) for target in (*targets, *distant)]
    if joint:
        others = tuple((target, QUARTER * share) for target in targets)
        found.append(Setting(SCENARIO_A, ((source, QUARTER * share), *others)))
        found.append(Setting(SCENARIO_B, ((source, share), *others)))
    return found


def has_equal_recipe(name: str) -> bool:
    """Whether a system is a baseline with LASER's recipe: trained in the zero-shot setting only."""
    return name.endswith(EQUAL_RECIPE)


def lower(name: str) -> str:
    """Return the name of a set in lower case, as fine-tuned encoders read words: all systems of the paper do."""
    return f"{NAME}_{name}"


class Tagging(WordReader):
    """The systems of a scale, its tasks with their sets, training settings and taggers, and the places of results."""

    def __init__(self, w: Workflow, section: LaserTaggersSection):
        self.w, self.section = w, section
        self.seeds = section.seeds or w.seeds  # of all that is trained; encoders are read in turn
        self._named = present(section.tasks)
        self.tasks = list(self._named)
        self.joint_tasks = self.tasks if section.joint is None else section.joint

    @cached_property
    def systems(self) -> dict[str, TaggedSystem]:
        """The systems in the order of tables. A copy with LASER's recipe follows each baseline of `equal_recipe`."""
        every = {}
        for name, one in present(self.section.systems).items():
            every[name] = one
            if name in self.section.equal_recipe:
                every[name + EQUAL_RECIPE] = one.model_copy(update={"recipe": "laser"})
        return every

    @cached_property
    def mapped(self) -> dict[str, str]:
        """The systems on mapped vectors, each with the system that maps these."""
        return {name: one.vectors for name, one in self.systems.items() if one.vectors}

    @cached_property
    def tuned(self) -> dict[str, str]:
        """The fine-tuned systems, each with its encoder."""
        return {name: one.encoder for name, one in self.systems.items() if one.encoder}

    def source(self, task: str) -> str:
        """Return the set of a task that the zero-shot setting trains on."""
        return self.w.of_source(self._named[task].source)

    def targets(self, task: str) -> list[str]:
        """Return the further training sets of a task, one a language; `pairs` give none of a distant language."""
        language = self.w.sources.language
        far = {language(one, name) for one in self.tasks for name in self.distant(one)}
        every = transferred(self.w, task, self.source(task))
        near = [name for name in every if language(task, name) not in far]
        return chosen(self._named[task].targets, near)

    def distant(self, task: str) -> list[str]:
        """Return the sets of a task, in distant languages, that joint training leaves out."""
        return self._named[task].distant or []

    def sets(self, task: str) -> list[str]:
        """Return the sets of a task, the source first."""
        return [self.source(task), *self.targets(task), *self.distant(task)]

    @cached_property
    def tested_on(self) -> list[tuple[str, str]]:
        """The tasks with each set that is tested on."""
        return [(task, target) for task in self.tasks for target in self.sets(task)]

    @cached_property
    def trained(self) -> list[tuple[str, str]]:
        """The tasks with each training setting."""
        return [(task, setting.name) for task in self.tasks for setting in self.trainings(task)]

    def languages(self, task: str, target: str) -> tuple[str, str]:
        """Return the language of training and the language of a set."""
        return self.w.sources.language(task, self.source(task)), self.w.sources.language(task, target)

    def tested(self, task: str, setting: str) -> list[str]:
        """Return the sets that a setting is tested on."""
        if setting.startswith(MONOLINGUAL):
            return [setting.removeprefix(f"{MONOLINGUAL}_")]
        return self.sets(task)

    def trainings(self, task: str) -> list[Setting]:
        """Return the training sets of a task."""
        own, far = (
            [name for name in names if {"train", "valid"} <= set(self.w.sources.splits(task, name))]
            for names in (self.targets(task), self.distant(task))
        )
        far, joint = far if self.section.distant_alone else [], bool(own) and task in self.joint_tasks
        return settings_of(self.source(task), own, far, self.section.share, joint)

    def lexicon_pair(self, name: str, task: str, target: str) -> LexiconPair | None:
        """Return the pair of the source's and a set's language, with its first dictionary. Return None without the
        pair, or without a dictionary that system `name` needs.
        """
        every, pair = self.w.lexicon_pairs.values(), self.languages(task, target)
        found = next((one for one in every if (one.source, one.target) == pair), None)
        return found if found and self.mapped[name] in systems_of(self.w, found) else None

    @cached_property
    def taggers(self) -> list[tuple[str, str, TaggerRun]]:
        """Each tagger with its system and setting; mapped vectors have one a language pair."""
        return [found for task in self.tasks for found in self._taggers(task)]

    def _taggers(self, task: str) -> Iterator[tuple[str, str, TaggerRun]]:
        first, trainings = self.seeds[:1], self.trainings(task)
        for name, one in self.systems.items():
            for setting in trainings if one.embedder else ():
                if not has_equal_recipe(name) or setting.name == ZERO_SHOT:
                    yield name, setting.name, self._on_features(task, name, one, setting)
        for name in self.mapped:
            yield from ((name, *found) for found in self._on_vectors(task, name))
        words = embeddings(RANDOM, "random_vectors", first, seed=int)
        for setting in trainings:
            run = self._run(MAJORITY, "baseline", task, setting, words, ONE_PASS)
            yield MAJORITY, setting.name, replace(run, member=MAJORITY, seeds=tuple(first))

    def _on_features(self, task: str, name: str, one: TaggedSystem, setting: Setting) -> TaggerRun:
        embedder = given(one.embedder)
        if "encoder" in EMBEDDERS.needs(embedder):
            folders = dict(zip(self.w.tagged_encoder_seeds, laser_encoders(self.w), strict=True))
            runs = in_turn(self.w.tagged_encoder_seeds, self.seeds)
            words = embeddings(name, embedder, runs, encoder=lambda run: In(folders[run]))
        else:
            words = embeddings(name, embedder, self.seeds, seed=int)
        settings = self._recipe(one)
        if name in SCORED_ON_TRAINING and setting.name == ZERO_SHOT:
            settings["score_training"] = True
        return self._run(name, one.recipe, task, setting, words, settings)

    def _run(
        self, name: str, job: str, task: str, setting: Setting, words: Words, settings: Mapping[str, Any]
    ) -> TaggerRun:
        train = tuple(EmbeddedSet(language, words, share) for language, share in setting.parts)
        test = tuple(EmbeddedSet(language, words) for language in self.tested(task, setting.name))
        own, seeds = f"{name}/{setting.name}.{task}", tuple(self.seeds)
        return TaggerRun(own, job, task, TAGGER, train, test, settings, seeds, lowercase=True)

    def _recipe(self, one: TaggedSystem) -> dict[str, Any]:
        """Return the settings of a tagger's training: the published ones, overridden by the configuration."""
        own = getattr(self.section.recipes, one.recipe)
        return {**RECIPES[one.recipe], **(self.section.tagger or {}), **(own or {})}

    def _on_vectors(self, task: str, name: str) -> Iterator[tuple[str, TaggerRun]]:
        """Yield the taggers on mapped vectors: of the source for each target, and of each target."""
        (first, *others), share, one = self.sets(task), self.section.share, self.systems[name]

        def run(setting: str, train: EmbeddedSet, *test: EmbeddedSet) -> TaggerRun:
            own, settings, seeds = f"{name}/{setting}.{task}", self._recipe(one), tuple(self.seeds)
            return TaggerRun(own, one.recipe, task, TAGGER, (train,), test, settings, seeds, lowercase=True)

        every = [(each, self.lexicon_pair(name, task, each)) for each in others]
        for number, (target, pair) in enumerate((target, pair) for target, pair in every if pair):
            near, far = (self.mapped_vectors(name, self.mapped[name], pair, side) for side in SIDES)
            test = [EmbeddedSet(target, far), *([] if number else [EmbeddedSet(first, near)])]
            yield ZERO_SHOT, run(f"{ZERO_SHOT}_{target}", EmbeddedSet(first, near, share), *test)
            alone = f"{MONOLINGUAL}_{target}"
            if not has_equal_recipe(name) and (task, alone) in self.trained:
                yield alone, run(alone, EmbeddedSet(target, far, share), EmbeddedSet(target, far))

    @cached_property
    def results(self) -> dict[Place, dict[int, tuple[In, In]]]:
        """The files of scores and of predictions of each seed, where a system is tested."""
        w, found = self.w, {}
        for system, setting, tagger in self.taggers:
            for target in (part.name for part in tagger.test):
                found[system, tagger.task, setting, target] = {
                    seed: (tagger.score(seed, target), tagger.prediction(w, NAME, seed, target))
                    for seed in tagger.seeds
                }
        for system, encoder in self.tuned.items():
            for task, setting in self.trained:
                for target in self.tested(task, setting):
                    own = [Prediction(encoder, n, task, lower(setting), lower(target)) for n in self.seeds]
                    found[system, task, setting, target] = {p.seed: (p.score, p.file(w, NAME)) for p in own}
        return {
            place: {seed: (score_file(w, NAME, MAIN, score), file) for seed, (score, file) in runs.items()}
            for place, runs in found.items()
        }
