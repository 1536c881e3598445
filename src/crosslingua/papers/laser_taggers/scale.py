"""The systems of a scale, its tasks with their sets, and the training settings of taggers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from crosslingua.tasks.kinds import KINDS
from crosslingua.workflow.labelled import chosen, transferred
from crosslingua.workflow.sources import present
from crosslingua.workflow.vectors import systems_of
from crosslingua.workflow.workflow import LexiconPair, Workflow

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
RANDOM, MAJORITY = "random", "majority"


def section(w: Workflow) -> Mapping[str, Any]:
    """Return the paper's section of the configuration."""
    return w.config[PAPER]


def seeds(w: Workflow) -> list[int]:
    """Return the seeds of taggers and of fine-tuned encoders; they read encoder runs in turn."""
    return section(w)["seeds"] or w.seeds


def systems(w: Workflow, kind: str = "") -> dict[str, Any]:
    """Return the systems, or those that have the key `kind`, in the order of the tables."""
    return {name: one for name, one in present(section(w)["systems"]).items() if not kind or kind in one}


def tasks(w: Workflow) -> list[str]:
    """Return the tasks."""
    return list(present(section(w)["tasks"]))


def joint_tasks(w: Workflow) -> list[str]:
    """Return the tasks of joint training: named ones, or else all."""
    named = section(w)["joint"]
    return tasks(w) if named is None else named


def source(w: Workflow, task: str) -> str:
    """Return the set of a task that the zero-shot setting trains on."""
    return section(w)["tasks"][task]["source"]


def targets(w: Workflow, task: str) -> list[str]:
    """Return the further training sets of a task, one a language; `pairs` give none of a distant language."""
    far = {w.sources.language(one, name) for one in tasks(w) for name in distant(w, one)}
    near = [
        name for name in transferred(w, task, source(w, task)) if w.sources.language(task, name) not in far
    ]
    return chosen(section(w)["tasks"][task]["targets"], near)


def distant(w: Workflow, task: str) -> list[str]:
    """Return the sets of a task, in distant languages, that joint training leaves out."""
    return section(w)["tasks"][task].get("distant", [])


def languages(w: Workflow, task: str, target: str) -> tuple[str, str]:
    """Return the language of training and that of a set."""
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
    joint = task in joint_tasks(w) and len(own) > 0
    return settings_of(source(w, task), own, far, section(w)["share"], joint)


def lexicon_pair(w: Workflow, name: str, task: str, target: str) -> LexiconPair | None:
    """Return the pair of the source's language and a set's, with its first dictionary; None without the pair, or
    without a dictionary that the vectors of system `name` need.
    """
    system = systems(w)[name]["vectors"]
    pair = tuple(w.sources.language(task, one) for one in (source(w, task), target))
    found = next((one for one in w.lexicon_pairs.values() if (one.source, one.target) == pair), None)
    return found if found and system in systems_of(w, found) else None
