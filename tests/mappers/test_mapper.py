"""Checks of input that every mapper shares, the registry, and settings given as text."""

import os
import subprocess
import sys

import numpy as np
import pytest

from crosslingua.errors import ConfigError
from crosslingua.imports import SOURCE_ROOT
from crosslingua.mappers import MAPPERS
from crosslingua.mappers.mapper import Mapper, build
from crosslingua.mappers.procrustes import Procrustes
from crosslingua.settings import parse_settings
from mappers.worlds import rotated


@pytest.mark.parametrize("name", list(MAPPERS))
def test_members_follow_the_protocol(name):
    member = MAPPERS[name]
    assert issubclass(member, Mapper)
    assert build(name) == member()


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        *((name, {}) for name in MAPPERS),
        ("muse", {"initialisation": "dictionary"}),
        ("muse", {"initialisation": "identity"}),
        ("vecmap", {"mode": "supervised"}),
        ("vecmap", {"mode": "semi_supervised", "reweight": 0}),
        ("iterative_norm", {"inner": "vecmap"}),
        ("iterative_norm", {"inner": "muse", "inner.initialisation": "dictionary"}),
        (
            "iterative_norm",
            {"inner": "iterative_norm", "inner.inner": "vecmap", "inner.inner.mode": "supervised"},
        ),
    ],
)
def test_the_registry_knows_who_needs_a_dictionary(name, settings):
    supervised = {"muse": ("dictionary",), "vecmap": ("supervised", "semi_supervised")}
    needs = name not in supervised or any(value in supervised[name] for value in settings.values())
    if name != "iterative_norm":
        assert build(name, settings).uses_pairs == needs
    assert MAPPERS.needs_dictionary(name, settings) == build(name, settings).uses_pairs


def test_the_registry_knows_which_modules_run():
    ours = "crosslingua.mappers"
    assert MAPPERS.modules("rcsls") == [f"{ours}.rcsls"]
    assert MAPPERS.modules("iterative_norm") == [f"{ours}.iterative_norm", f"{ours}.procrustes"]
    inner = MAPPERS.modules("iterative_norm", {"inner": "vecmap"})
    assert inner == [f"{ours}.iterative_norm", f"{ours}.vecmap"]


def test_the_registry_answers_without_importing_a_mapper():
    code = (
        "import sys; from crosslingua.mappers import MAPPERS as m; from crosslingua.encoders.objectives import "
        "OBJECTIVES as o; [m.modules(n) and m.needs_dictionary(n) for n in m]; [o.needs(n) for n in o]; "
        "sys.exit(not {'numpy', 'numba', 'torch'}.isdisjoint(sys.modules))"
    )
    environment = os.environ | {"PYTHONPATH": str(SOURCE_ROOT)}
    subprocess.run([sys.executable, "-c", code], env=environment, check=True)


@pytest.mark.parametrize("side", ["source", "target"])
@pytest.mark.parametrize("value", [0, np.nan, np.inf])
def test_unusable_vectors(side, value):
    world = rotated()
    getattr(world, side)[7] = value
    with pytest.raises(ConfigError, match=f"1 {side} vectors are zero or not finite, the first in row 7"):
        Procrustes().fit(world.source, world.target, world.pairs(0, 60))


def test_dimensions_must_agree():
    with pytest.raises(ConfigError, match="20 dimensions and target vectors 30"):
        Procrustes().fit(rotated(dimension=20).source, rotated(dimension=30).target, np.array([[0, 0]]))


@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        (None, "needs a dictionary"),
        (np.empty((0, 2), dtype=int), "at least one dictionary pair"),
        (np.array([[0, 400]]), "outside the 400 source and 400 target"),
        (np.array([[-1, 0]]), "outside"),
    ],
)
def test_unusable_dictionaries(pairs, message):
    world = rotated()
    with pytest.raises(ConfigError, match=message):
        Procrustes().fit(world.source, world.target, pairs)


@pytest.mark.parametrize(
    ("name", "setting", "value"),
    [
        ("procrustes", "normalise", "unitary"),
        ("rcsls", "lr", 0),
        ("rcsls", "niter", 0),
        ("rcsls", "projection", "orthogonal"),
        ("rcsls", "normalise", "l2"),
        ("geomm", "l2_reg", -1),
        ("geomm", "max_opt_iter", 0),
        ("iterative_norm", "rounds", 0),
        ("muse", "initialisation", "chance"),
        ("muse", "epoch_size", 0),
        ("muse", "dis_input_dropout", 1.0),
        ("muse", "n_refinement", -1),
        ("vecmap", "mode", "weak"),
        ("vecmap", "vocabulary_cutoff", 0),
        ("vecmap", "stochastic_initial", 0),
        ("vecmap", "stochastic_multiplier", 1),
    ],
)
def test_a_setting_out_of_its_range_is_named(name, setting, value):
    recipe = f"normalisation '{value}': steps are unit and centre, as in unit,centre,unit"
    with pytest.raises(ConfigError, match=f"{setting}={value}: |{recipe}"):
        MAPPERS[name](**{setting: value})


def test_settings_from_text():
    assert parse_settings(["normalise=unit", "lr=a=b"]) == {"normalise": "unit", "lr": "a=b"}
    assert build("procrustes", {"normalise": "unit,centre"}) == Procrustes("unit,centre")
    with pytest.raises(ConfigError, match="name=value"):
        parse_settings(["normalise"])
    with pytest.raises(ConfigError, match="did you mean 'normalise'"):
        build("procrustes", {"normalize": "unit"})
    with pytest.raises(ConfigError, match="did you mean 'procrustes'"):
        build("procrustus")
