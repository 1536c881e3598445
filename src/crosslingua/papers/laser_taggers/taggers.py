"""What a scale runs: its systems, tasks with their sets, training settings, taggers, and the places of results."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from crosslingua.embedders import EMBEDDERS
from crosslingua.papers.laser_taggers.tables import EQUAL_RECIPE
from crosslingua.papers.shared import MAJORITY, ONE_PASS, embeddings, mapped_vectors, tagger_run
from crosslingua.tasks.kinds import KINDS
from crosslingua.workflow.encoders import laser_encoders
from crosslingua.workflow.fine_tuning import Prediction, Tuning, score_file
from crosslingua.workflow.jobs import In
from crosslingua.workflow.labelled import chosen, transferred
from crosslingua.workflow.results import MAIN
from crosslingua.workflow.sources import present
from crosslingua.workflow.tagging import Compared, EmbeddedSet, Embedding, Mixture, TaggerRun
from crosslingua.workflow.vectors import SIDES, systems_of
from crosslingua.workflow.workflow import LexiconPair, Workflow, in_turn

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
LASER: Mapping[str, Any] = {"optimiser": "one_cycle", "learning_rate": 0.1, "patience": 0, "trials": 20}
# 'Transformer-based models': as Devlin et al. for NER.
TRANSFORMER: Mapping[str, Any] = {"epochs": 4, "batch_size": 16, "learning_rate": 5e-5}
SCORED_ON_TRAINING = ("laser_top", "laser_elmo")  # zero-shot; their scores there are compared ('Results')
RECIPES = {"baseline": BASELINE, "laser": LASER}


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


PAPER = "laser_taggers"
RANDOM = "random"


def section(w: Workflow) -> Mapping[str, Any]:
    """Return the paper's section of the configuration."""
    return w.config[PAPER]


def seeds(w: Workflow) -> list[int]:
    """Return the seeds of taggers and of fine-tuned encoders; they read encoder runs in turn."""
    return section(w)["seeds"] or w.seeds


def systems(w: Workflow, kind: str = "") -> dict[str, Any]:
    """Return the systems, or the systems with the key `kind`, in the order of the tables. A baseline of `equal_recipe`
    is followed by its copy with LASER's recipe.
    """
    every = {}
    for name, one in present(section(w)["systems"]).items():
        every[name] = one
        if name in (section(w)["equal_recipe"] or ()):
            every[name + EQUAL_RECIPE] = {**one, "recipe": "laser"}
    return {name: one for name, one in every.items() if not kind or kind in one}


def has_equal_recipe(name: str) -> bool:
    """Whether a system is a baseline with LASER's recipe: trained in the zero-shot setting only."""
    return name.endswith(EQUAL_RECIPE)


def tasks(w: Workflow) -> list[str]:
    """Return the tasks."""
    return list(present(section(w)["tasks"]))


def joint_tasks(w: Workflow) -> list[str]:
    """Return the tasks of joint training: named ones, or else all."""
    named = section(w)["joint"]
    return tasks(w) if named is None else named


def source(w: Workflow, task: str) -> str:
    """Return the set of a task that the zero-shot setting trains on."""
    return w.of_source(section(w)["tasks"][task]["source"])


def targets(w: Workflow, task: str) -> list[str]:
    """Return the further training sets of a task, one a language; `pairs` give none of a distant language."""
    far = {w.sources.language(one, name) for one in tasks(w) for name in distant(w, one)}
    every = transferred(w, task, source(w, task))
    near = [name for name in every if w.sources.language(task, name) not in far]
    return chosen(section(w)["tasks"][task]["targets"], near)


def distant(w: Workflow, task: str) -> list[str]:
    """Return the sets of a task, in distant languages, that joint training leaves out."""
    return section(w)["tasks"][task].get("distant", [])


def languages(w: Workflow, task: str, target: str) -> tuple[str, str]:
    """Return the language of training and the language of a set."""
    return w.sources.language(task, source(w, task)), w.sources.language(task, target)


def tested(w: Workflow, task: str, setting: str) -> list[str]:
    """Return the sets that a setting is tested on."""
    if setting.startswith(MONOLINGUAL):
        return [setting.removeprefix(f"{MONOLINGUAL}_")]
    return [source(w, task), *targets(w, task), *distant(w, task)]


def trainings(w: Workflow, task: str) -> list[Setting]:
    """Return the training sets of a task."""
    own, far = (
        [name for name in of(w, task) if {"train", "valid"} <= set(w.sources.splits(task, name))]
        for of in (targets, distant)
    )
    far = far if section(w)["distant_alone"] else []
    return settings_of(source(w, task), own, far, section(w)["share"], bool(own) and task in joint_tasks(w))


def lexicon_pair(w: Workflow, name: str, task: str, target: str) -> LexiconPair | None:
    """Return the pair of the source's and a set's language, with its first dictionary. Return None without the pair, or
    without a dictionary that system `name` needs.
    """
    system = systems(w)[name]["vectors"]
    pair = tuple(w.sources.language(task, one) for one in (source(w, task), target))
    found = next((one for one in w.lexicon_pairs.values() if (one.source, one.target) == pair), None)
    return found if found and system in systems_of(w, found) else None


def every_tagger(w: Workflow) -> Iterator[tuple[str, str, TaggerRun]]:
    """Yield each tagger with its system and setting; mapped vectors have one a language pair."""
    words = (Embedding(f"{RANDOM}.seed{seeds(w)[0]}", "random_vectors", {"seed": seeds(w)[0]}),)
    for task in tasks(w):
        for name, one in systems(w, "embedder").items():
            for setting in trainings(w, task):
                if not has_equal_recipe(name) or setting.name == ZERO_SHOT:
                    yield name, setting.name, _on_features(w, task, name, one, setting)
        for name in systems(w, "vectors"):
            yield from ((name, *found) for found in _on_vectors(w, task, name))
        for setting in trainings(w, task):
            train = tuple(EmbeddedSet(language, words, share) for language, share in setting.parts)
            test = tuple(EmbeddedSet(language, words) for language in tested(w, task, setting.name))
            name = f"{MAJORITY}/{setting.name}.{task}"
            first = tuple(seeds(w)[:1])
            run = TaggerRun(name, "baseline", task, MAJORITY, train, test, ONE_PASS, first, lowercase=True)
            yield MAJORITY, setting.name, run


def _on_features(w: Workflow, task: str, name: str, one: Mapping[str, Any], setting: Setting) -> TaggerRun:
    if "encoder" in EMBEDDERS.needs(one["embedder"]):
        folders = dict(zip(w.tagged_encoder_seeds, laser_encoders(w), strict=True))
        runs = in_turn(w.tagged_encoder_seeds, seeds(w))
        words = embeddings(name, one["embedder"], runs, encoder=lambda run: In(folders[run]))
    else:
        words = embeddings(name, one["embedder"], seeds(w), seed=int)
    train = tuple(EmbeddedSet(language, words, share) for language, share in setting.parts)
    test = tuple(EmbeddedSet(language, words) for language in tested(w, task, setting.name))
    job = one.get("recipe", "baseline")
    settings = recipe(w, job)
    if name in SCORED_ON_TRAINING and setting.name == ZERO_SHOT:
        settings["score_training"] = True
    own = f"{name}/{setting.name}.{task}"
    return TaggerRun(own, job, task, TAGGER, train, test, settings, tuple(seeds(w)), lowercase=True)


def recipe(w: Workflow, name: str) -> dict[str, Any]:
    """Return the settings of a tagger's training: the published ones, overridden by the configuration."""
    return {**RECIPES[name], **(section(w)["tagger"] or {}), **(section(w)["recipes"].get(name) or {})}


def _on_vectors(w: Workflow, task: str, name: str) -> Iterator[tuple[str, TaggerRun]]:
    """Yield the taggers on mapped vectors: of the source for each target, and of each target."""
    first, share, system = source(w, task), section(w)["share"], systems(w)[name]["vectors"]
    job = systems(w)[name].get("recipe", "baseline")

    def run(setting: str, train: EmbeddedSet, *test: EmbeddedSet) -> TaggerRun:
        own, settings = f"{name}/{setting}.{task}", recipe(w, job)
        return replace(tagger_run(own, job, task, TAGGER, train, test, settings, seeds(w)), lowercase=True)

    every = [(each, lexicon_pair(w, name, task, each)) for each in (*targets(w, task), *distant(w, task))]
    for number, (target, pair) in enumerate((target, pair) for target, pair in every if pair):
        near, far = (mapped_vectors(w, name, system, pair, side, seeds(w)) for side in SIDES)
        test = [EmbeddedSet(target, far), *([] if number else [EmbeddedSet(first, near)])]
        yield ZERO_SHOT, run(f"{ZERO_SHOT}_{target}", EmbeddedSet(first, near, share), *test)
        alone = f"{MONOLINGUAL}_{target}"
        if not has_equal_recipe(name) and any(setting.name == alone for setting in trainings(w, task)):
            yield alone, run(alone, EmbeddedSet(target, far, share), EmbeddedSet(target, far))


def lower(name: str) -> str:
    """Return the name of a set in lower case, as fine-tuned encoders read words: all systems of the paper do."""
    return f"{PAPER}_{name}"


def mixtures(w: Workflow) -> list[Mixture]:
    """Return the data of fine-tuned encoders: every training set, and the test-only sets."""
    found = []
    for task in tasks(w) if systems(w, "encoder") else ():
        found += [Mixture(task, lower(one.name), one.parts) for one in trainings(w, task)]
        every = tested(w, task, ZERO_SHOT)
        found += [Mixture(task, lower(name), ((name, 1.0),), ("test",)) for name in every]
    return found


def fine_tunings(w: Workflow) -> dict[str, list[Tuning]]:
    """Return the fine-tunings, one an encoder, in every setting, tested on all languages."""
    train = tuple((task, lower(setting)) for task, setting in _settings(w))
    test = tuple((task, lower(name)) for task, name in _tested(w))
    settings = {**TRANSFORMER, **(section(w)["recipes"].get("transformer") or {})}
    of_tasks = dict.fromkeys(tasks(w), settings)
    runs = {"seeds": tuple(seeds(w)), "runs": tuple(in_turn(w.tagged_encoder_seeds, seeds(w)))}
    tuned = systems(w, "encoder").values()
    return {MAIN: [Tuning(one["encoder"], train, test, of_tasks, **runs) for one in tuned]}


def _settings(w: Workflow) -> list[tuple[str, str]]:
    return [(task, setting.name) for task in tasks(w) for setting in trainings(w, task)]


def _tested(w: Workflow) -> list[tuple[str, str]]:
    return [(task, target) for task in tasks(w) for target in tested(w, task, ZERO_SHOT)]


Place = tuple[str, str, str, str]  # system, task, setting, target


def results(w: Workflow) -> dict[Place, dict[int, tuple[In, In]]]:
    """Return the files of scores and of predictions of each seed, where a system is tested."""
    found: dict[Place, dict[int, tuple[In, In]]] = {}
    for system, setting, tagger in every_tagger(w):
        for target in (part.name for part in tagger.test):
            found[system, tagger.task, setting, target] = {
                seed: (tagger.score(seed, target), tagger.prediction(w, PAPER, seed, target))
                for seed in tagger.seeds
            }
    for system, one in systems(w, "encoder").items():
        for task, setting in _settings(w):
            for target in tested(w, task, setting):
                tuned = [Prediction(one["encoder"], n, task, lower(setting), lower(target)) for n in seeds(w)]
                found[system, task, setting, target] = {p.seed: (p.score, p.file(w, PAPER)) for p in tuned}
    return {
        place: {seed: (score_file(w, PAPER, MAIN, score), file) for seed, (score, file) in runs.items()}
        for place, runs in found.items()
    }


COMPARED_WITH = "laser_top"  # by the sign test
STATIC = "muse"  # whose errors are listed


def comparisons(w: Workflow) -> list[Compared]:
    """Return the comparison of every system with LASER-top in the zero-shot setting, seed by seed."""
    files, found = results(w), []
    for system in systems(w) if COMPARED_WITH in systems(w) else ():
        for task, target in _tested(w):
            first, second = (
                files.get((name, task, ZERO_SHOT, target), {}) for name in (system, COMPARED_WITH)
            )
            for seed in sorted(first.keys() & second.keys()) if system != COMPARED_WITH else ():
                name = comparison(system, task, target, seed)
                found.append(Compared(name, task, target, first[seed][1], second[seed][1]))
    return found


def comparison(system: str, task: str, target: str, seed: int) -> str:
    """Return the name of a comparison with LASER-top."""
    return f"{system}/seed{seed}/{task}.{target}"
