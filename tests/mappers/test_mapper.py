"""What every mapper shares: checks of input, settings, normalisation, maps, and the command line."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

from crosslingua.errors import ConfigError
from crosslingua.imports import SOURCE_ROOT
from crosslingua.io.vectors import WordVectors, read_vectors, write_vectors
from crosslingua.mappers import MAPPERS
from crosslingua.mappers.mapper import MappedSide, Mapping, Normalisation, build, parse_recipe
from crosslingua.mappers.procrustes import Procrustes
from crosslingua.settings import parse_settings
from mappers.worlds import rotated
from programs import call


@pytest.mark.parametrize(("name", "settings"), [
    *((name, {}) for name in MAPPERS), ("muse", {"initialisation": "dictionary"}),
    ("muse", {"initialisation": "identity"}), ("vecmap", {"mode": "supervised"}),
    ("vecmap", {"mode": "semi_supervised", "reweight": 0}), ("iterative_norm", {"inner": "vecmap"}),
    ("iterative_norm", {"inner": "muse", "inner.initialisation": "dictionary"}),
    ("iterative_norm", {"inner": "iterative_norm", "inner.inner": "vecmap"} | {"inner.inner.mode": "supervised"}),
])  # fmt: skip
def test_the_registry_knows_who_needs_a_dictionary(name, settings):
    supervised = {"muse": ("dictionary",), "vecmap": ("supervised", "semi_supervised"), "mini_vec2vec": ()}
    always = ("procrustes", "rcsls", "geomm", "contrastive")
    if name in (*supervised, *always):
        needs = name in always or any(value in supervised[name] for value in settings.values())
        assert build(name, settings).uses_pairs == needs
    assert MAPPERS.needs_dictionary(name, settings) == build(name, settings).uses_pairs


def test_the_registry_knows_which_modules_run():
    for given, names in ((("rcsls",), ["rcsls"]), (("iterative_norm",), ["iterative_norm", "procrustes"]),
                         (("iterative_norm", {"inner": "vecmap"}), ["iterative_norm", "vecmap"])):  # fmt: skip
        assert MAPPERS.modules(*given) == [f"crosslingua.mappers.{name}" for name in names]


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


@pytest.mark.parametrize("name", ["procrustes", "geomm", "rcsls", "vecmap", "iterative_norm"])
def test_numbers_whose_squares_float32_does_not_hold(name):
    world = rotated()
    world.target[3, 0] = 3e38
    with pytest.raises(
        ConfigError, match=r"target vectors have numbers up to 3e\+38, and 1e\+15 is the most: scale"
    ):
        build(name).fit(world.source, world.target, world.pairs(0, 60))


@pytest.mark.parametrize("name", ["geomm", "vecmap", "iterative_norm"])
def test_vectors_that_are_all_the_same(name):
    world = rotated()
    with pytest.raises(
        ConfigError, match=r"GeoMM: no map can be computed .*too much alike; use|the vector in row 0"
    ):
        build(name).fit(np.ones_like(world.source), world.target, world.pairs(0, 60))


def test_dimensions_must_agree():
    with pytest.raises(ConfigError, match="20 dimensions and target vectors 30"):
        Procrustes().fit(rotated(dimension=20).source, rotated(dimension=30).target, np.array([[0, 0]]))


@pytest.mark.parametrize(("pairs", "message"), [
    (None, "needs a dictionary"), (np.empty((0, 2), dtype=int), "at least one dictionary pair"),
    (np.array([[0, 400]]), "outside the 400 source and 400 target"), (np.array([[-1, 0]]), "outside"),
])  # fmt: skip
def test_unusable_dictionaries(pairs, message):
    world = rotated()
    with pytest.raises(ConfigError, match=message):
        Procrustes().fit(world.source, world.target, pairs)


@pytest.mark.parametrize(("name", "setting", "value"), [
    ("procrustes", "normalise", "unitary"), ("rcsls", "lr", 0), ("rcsls", "niter", 0),
    ("rcsls", "projection", "orthogonal"), ("rcsls", "normalise", "l2"), ("geomm", "l2_reg", -1),
    ("geomm", "max_opt_iter", 0), ("iterative_norm", "rounds", 0), ("muse", "initialisation", "chance"),
    ("muse", "epoch_size", 0), ("muse", "dis_input_dropout", 1.0), ("muse", "n_refinement", -1),
    ("vecmap", "mode", "weak"), ("vecmap", "vocabulary_cutoff", 0), ("vecmap", "stochastic_initial", 0),
    ("vecmap", "stochastic_multiplier", 1),
])  # fmt: skip
def test_a_setting_out_of_its_range_is_named(name, setting, value):
    recipe = f"normalisation '{value}': steps are unit and centre, as in unit,centre,unit"
    with pytest.raises(ConfigError, match=f"{setting}={value}: |{recipe}"):
        MAPPERS[name](**{setting: value})


def test_settings_from_text():
    assert parse_settings(["normalise=unit", "lr=a=b"]) == {"normalise": "unit", "lr": "a=b"}
    assert build("procrustes", {"normalise": "unit,centre"}) == Procrustes("unit,centre")
    assert parse_recipe("unit,centre") == ("unit", "centre")
    with pytest.raises(ConfigError, match="name=value"):
        parse_settings(["normalise"])
    with pytest.raises(ConfigError, match="did you mean 'normalise'"):
        build("procrustes", {"normalize": "unit"})
    with pytest.raises(ConfigError, match="did you mean 'procrustes'"):
        build("procrustus")


def test_steps_by_hand():
    # unit: (3, 4) -> (.6, .8), (0, 2) -> (0, 1); their mean is (.3, .9).
    steps, normalised = Normalisation.fit(np.array([[3.0, 4.0], [0.0, 2.0]]), ("unit", "centre"))
    np.testing.assert_allclose(normalised, [[0.3, -0.1], [-0.3, 0.1]], atol=1e-7)
    np.testing.assert_allclose(steps.apply(np.array([[5.0, 0.0]])), [[0.7, -0.9]], atol=1e-7)


def test_forward_and_backward_are_inverse():
    vectors = np.random.default_rng(0).standard_normal((30, 5)).astype(np.float32) + 2
    steps, normalised = Normalisation.fit(vectors, ("unit", "centre", "unit"))
    again, lengths = steps.forward(vectors)
    np.testing.assert_array_equal(again, normalised)
    np.testing.assert_allclose(np.linalg.norm(again, axis=1), 1, atol=1e-6)
    np.testing.assert_allclose(steps.backward(again, lengths), vectors, atol=1e-5)


def test_a_vector_at_the_mean_has_no_direction():
    steps = Normalisation((np.array([1.0, 2.0]), None))
    with pytest.raises(ConfigError, match="row 1 is zero"):
        steps.apply(np.array([[3.0, 2.0], [1.0, 2.0]]))


def test_into_target_undoes_the_targets_map():
    rng = np.random.default_rng(0)
    a, b = rng.standard_normal((2, 4, 4))
    x = rng.standard_normal((9, 4)).astype(np.float32)
    mapping = Mapping(MappedSide(matrix=a), MappedSide(matrix=b))
    inside = mapping.into_target(x)
    np.testing.assert_allclose(inside, x.astype(float) @ a @ np.linalg.inv(b), rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(mapping.map_target(inside), mapping.map_source(x), rtol=1e-4, atol=1e-4)


def test_into_target_needs_an_invertible_map_and_the_same_recipe():
    x = np.ones((2, 3), dtype=np.float32)
    with pytest.raises(ConfigError, match="singular"):
        Mapping(MappedSide(), MappedSide(matrix=np.diag([1.0, 1.0, 0.0]))).into_target(x)
    with pytest.raises(ConfigError, match="normalised differently"):
        Mapping(MappedSide(Normalisation((None,))), MappedSide()).into_target(x)


@pytest.fixture
def files(tmp_path):
    """Vectors of two seeds, a dictionary with one pair out of vocabulary, and three shared words."""
    for seed in (1, 2):
        world = rotated(words=120, dimension=8, seed=seed)
        names = {int(row): f"t{i}" for i, row in enumerate(world.permutation)}
        common = np.random.default_rng(seed).standard_normal((3, 8)).astype(np.float32)
        shared = ["xa", "xb", "xc"]
        source, target = [f"s{i}" for i in range(120)], [names[row] for row in range(120)]
        for side, words, matrix in (("source", source, world.source), ("target", target, world.target)):
            space = WordVectors([*shared, *words], np.vstack([common, matrix]))
            write_vectors(tmp_path / f"{side}{seed}.vec", space)
        (tmp_path / f"shared{seed}.txt").write_text("xa\nxb\nxc\n")
    (tmp_path / "train.txt").write_text("".join(f"s{i} t{i}\n" for i in range(60)) + "nowhere t1\n")
    return tmp_path


def test_two_cells_with_shared_words(files):
    (files / "plan.csv").write_text("source,target,seed,shared,out_source,out_target,details\n" + "".join(
        f"source{n}.vec,target{n}.vec,{n},shared{n}.txt,out/s{n}.vec,out/t{n}.vec,out/d{n}.json\n" for n in (1, 2)
    ))  # fmt: skip
    given = ("--mapper", "procrustes", "--dictionary", "train.txt", "--cells", "plan.csv")
    call("align_vectors.py", *given, folder=files)
    for seed in (1, 2):
        source, target = (read_vectors(files / "out" / f"{side}{seed}.vec") for side in "st")
        assert target.matrix.tobytes() == read_vectors(files / f"target{seed}.vec").matrix.tobytes()
        np.testing.assert_array_equal(source["xb"], target["xb"])
        np.testing.assert_allclose(source["s100"], target["t100"], atol=1e-5)
        details = json.loads((files / "out" / f"d{seed}.json").read_text())
        counts = details["dictionary"]
        assert (details["seed"], counts["used"], counts["source_out_of_vocabulary"]) == (seed, 60, 1)


ONE = "--source source1.vec --target target1.vec --out-source s.vec --out-target t.vec --mapper"


@pytest.mark.parametrize(("arguments", "message"), [
    (("procrustes",), "give a dictionary (--dictionary)"), (("prokrustes",), "did you mean 'procrustes'"),
    (("procrustes", "--set", "rate=3"), "has no setting 'rate'"),
    (("procrustes", "--dictionary", "absent.txt"), "absent.txt: no such file"),
])  # fmt: skip
def test_errors_are_one_line(files, arguments, message):
    (error,) = call("align_vectors.py", *ONE.split(), *arguments, folder=files, ok=False).splitlines()
    assert message in error
    assert not (files / "s.vec").exists()
