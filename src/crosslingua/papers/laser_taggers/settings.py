"""Which training runs there are, and how they are trained (laser_taggers, 'Training' and 'Experiments')."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from crosslingua.tasks.kinds import KINDS

QUARTER = 0.25  # of a training set, in joint training
ZERO_SHOT, MONOLINGUAL, SCENARIO_A, SCENARIO_B = "zero_shot", "monolingual", "scenario_a", "scenario_b"
# Of tags, accuracy is their micro F1.
METRICS = {name: "f1" if kind.scheme == "bio2" else "accuracy" for name, kind in KINDS.items() if kind.tagged}
FIGURES = {"ner": "fig3", "pos": "fig4"}  # the paper's, of what the source's whole data adds
TAGGER = "transformer_crf"  # section 'Task-specific models'
# 'Baseline models': the defaults of train_tagger.py are these.
BASELINE: Mapping[str, Any] = {}
# 'LASER-based models': the 1cycle policy; dropout and L2 by Bayesian optimisation. The paper tells neither the rate nor
# the number of trials; early stopping would cut the cycle short.
LASER: Mapping[str, Any] = {"optimiser": "one_cycle", "learning_rate": 0.1, "patience": 0, "trials": 20}
# 'Transformer-based models': Devlin et al.'s for NER.
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
