"""Bayesian optimisation of regularisation (laser_taggers, 'Training'; Snoek, Larochelle and Adams 2012).

A Gaussian process over the three settings, by optuna, asks for the next trial, after some at random (`at_random`); a
trial is a training, whose value is its best score on validation data. Nothing here reads test data.
"""

import logging
from typing import Any

from crosslingua.tasks.tagger_settings import TaggerOptions
from crosslingua.tasks.tagger_training import TaggedFeatures, train_tagger

log = logging.getLogger(__name__)
MOST_AT_RANDOM = 10  # optuna's own number, whatever that of trials
# Ranges, which the paper does not give: (lowest, highest, whether the scale is logarithmic).
SPACE = {"dropout": (0.0, 0.6, False), "tagger.dropout": (0.0, 0.6, False), "l2": (1e-6, 1e-2, True)}


def at_random(trials: int) -> int:
    """Return how many of so many trials are drawn at random, before the Gaussian process knows enough: half at most.

    By optuna's default it would be asked from the eleventh on, and so never in a short search.
    """
    return min(MOST_AT_RANDOM, trials // 2)


def search(
    options: TaggerOptions, task: str, train: TaggedFeatures, valid: TaggedFeatures, seed: int
) -> tuple[TaggerOptions, list[dict[str, Any]]]:
    """Return the options with the settings that did best on `valid`, and every trial in order."""
    import optuna

    optuna.logging.set_verbosity(optuna.logging.WARNING)
    found: list[dict[str, Any]] = []

    def value(trial: Any) -> float:
        chosen = {
            name: trial.suggest_float(name, low, high, log=logarithmic)
            for name, (low, high, logarithmic) in SPACE.items()
        }
        _, report = train_tagger(options.changed(chosen), task, train, valid, seed)
        score = max(epoch["validation"] for epoch in report["epochs"])
        found.append({**chosen, "validation": score})
        log.info("trial %d: %s", len(found), found[-1])
        return score

    trials = options.training.trials
    sampler = optuna.samplers.GPSampler(seed=seed, n_startup_trials=at_random(trials))
    study = optuna.create_study(direction="maximize", sampler=sampler)
    study.optimize(value, n_trials=trials)
    return options.changed(study.best_params), found
