"""Which LASER a configuration asks for under `encoders.laser`: one that is trained here, the published one, or none."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from crosslingua.errors import ConfigError
from crosslingua.names import check_defined
from crosslingua.workflow.labelled import chosen, of_pair, training_bitext
from crosslingua.workflow.workflow import Workflow, pair_languages

Config = Mapping[str, Any]
LASER = "laser"  # the name of its tokeniser
FORMAT = "laser_checkpoint"  # the registry's name for data sets that hold a published LASER
TRAINING = ("pivots", "bitext", "test", "vocabulary_size", "settings")
SUFFIXES = {"checkpoint": ".pt", "codes": ".fcodes", "vocabulary": ".fvocab"}


def trained_laser(w: Workflow) -> Config | None:
    """Return how LASER is to be trained; None where none is, or the published one is taken."""
    laser = w.config["encoders"]["laser"]
    return None if laser is None or laser["published"] else laser


def published_laser(w: Workflow) -> dict[str, str]:
    """Return the files of the published LASER's checkpoint, codes and vocabulary; {} where it is not taken."""
    laser = w.config["encoders"]["laser"]
    if laser is None or not laser["published"]:
        return {}
    name = laser["published"]
    _check_name(w, name)  # whatever papers there are: rules are made of what this returns
    return {
        part: f"{w.data}/{name}/{file}"
        for part, suffix in SUFFIXES.items()
        for file in w.datasets[name].files
        if file.endswith(suffix)
    }


def names_if(taken: Config | None) -> list[str]:
    """Return LASER's name where it is trained, or taken as published; none where it is not."""
    return [LASER] if taken else []


def laser_bitext(w: Workflow) -> list[str]:
    """Return the bitext that LASER is trained on: what is named; `pairs` give the first of each that has a pivot."""
    laser = trained_laser(w)
    if laser is None:
        return []
    pivots = set(laser["pivots"] or ())
    found = [training_bitext(w, pair) for pair in w.pairs if pivots & set(pair)]
    return chosen(laser["bitext"], [names[0] for names in found if names])


def laser_test(w: Workflow) -> list[str]:
    """Return the gold alignments that LASER is tested on: those named; `pairs` give the first of each it has read."""
    laser = trained_laser(w)
    if laser is None:
        return []
    read = set(laser_languages(w))
    found = [of_pair(w, "gold_alignment", pair) for pair in w.pairs if set(pair) <= read]
    return chosen(laser["test"], [names[0] for names in found if names])


def laser_languages(w: Workflow) -> tuple[str, ...]:
    """Return the languages of the bitext that LASER is trained on."""
    return tuple(dict.fromkeys(language for pair in laser_bitext(w) for language in pair_languages(pair)))


def check_laser(w: Workflow) -> None:
    """Raise ConfigError when `encoders.laser` says neither or both of two ways, or names what is not there."""
    laser = w.config["encoders"]["laser"]
    if laser is None:
        return
    if laser["published"]:
        _check_published(w, laser)
    else:
        _check_training(w, laser)


def _check_published(w: Workflow, laser: Config) -> None:
    # A scale inherits the demo's training, so that it has to be taken out by name.
    if training := [key for key in TRAINING if laser[key] is not None]:
        raise ConfigError(
            f"encoders.laser: published and {', '.join(training)} are given, but a published LASER is not trained;"
            f" set {'these' if len(training) > 1 else 'this'} to null, or published"
        )
    _check_name(w, laser["published"])


def _check_name(w: Workflow, name: str) -> None:
    legal = [name for name, row in w.datasets.items() if row.format == FORMAT]
    check_defined("encoders.laser.published", name, legal, f"the registry with format {FORMAT}")


def _check_training(w: Workflow, laser: Config) -> None:
    if missing := [key for key in ("pivots", "vocabulary_size") if laser[key] is None]:
        raise ConfigError(
            f"encoders.laser: {', '.join(missing)} null: say how to train it, or name a published LASER"
        )
    if not laser_bitext(w):
        raise ConfigError(
            "encoders.laser.bitext: there is none, of no pair with a pivot: add bitext to a data sheet"
            " (docs/datasets.md), or set encoders.laser to null"
        )
    known = laser_languages(w)
    check_defined("encoders.laser.bitext", laser_bitext(w), w.sources.sets["bitext"], "bitext")
    check_defined("encoders.laser.test", laser_test(w), w.sources.sets["gold_alignment"], "gold alignments")
    check_defined("encoders.laser.bitext: languages", known, w.sources.languages, "the text of languages")
    check_defined("encoders.laser.pivots", laser["pivots"], known, "encoders.laser.bitext")
