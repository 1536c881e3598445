"""Normalisation steps and maps: applied alike to new vectors, undone on the way into the target's space."""

import numpy as np
import pytest

from crosslingua.errors import ConfigError
from crosslingua.mappers.mapper import MappedSide, Mapping, Normalisation, parse_recipe


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


def test_recipes():
    assert parse_recipe("none") == ()
    assert parse_recipe("unit,centre") == ("unit", "centre")
    with pytest.raises(ConfigError, match="steps are unit and centre"):
        parse_recipe("unit,center")


def test_into_target_undoes_the_targets_map():
    rng = np.random.default_rng(0)
    a, b = rng.standard_normal((2, 4, 4))
    x = rng.standard_normal((9, 4)).astype(np.float32)
    mapping = Mapping(MappedSide(matrix=a), MappedSide(matrix=b))
    inside = mapping.into_target(x)
    np.testing.assert_allclose(inside, x.astype(float) @ a @ np.linalg.inv(b), rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(mapping.map_target(inside), mapping.map_source(x), rtol=1e-4, atol=1e-4)


def test_into_target_of_the_same_space_is_the_identity():
    x = np.random.default_rng(0).standard_normal((50, 6)).astype(np.float32) + 1
    steps, _ = Normalisation.fit(x, ("unit", "centre", "unit"))
    q = np.linalg.qr(np.random.default_rng(1).standard_normal((6, 6)))[0]
    mapping = Mapping(MappedSide(steps, q), MappedSide(steps, q))
    np.testing.assert_allclose(mapping.into_target(x), x, atol=1e-5)


def test_into_target_needs_an_invertible_map_and_the_same_recipe():
    x = np.ones((2, 3), dtype=np.float32)
    with pytest.raises(ConfigError, match="singular"):
        Mapping(MappedSide(), MappedSide(matrix=np.diag([1.0, 1.0, 0.0]))).into_target(x)
    with pytest.raises(ConfigError, match="normalised differently"):
        Mapping(MappedSide(Normalisation((None,))), MappedSide()).into_target(x)
