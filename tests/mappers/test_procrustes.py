import numpy as np
import pytest
from scipy.linalg import orthogonal_procrustes

from crosslingua.mappers.procrustes import Procrustes, rotation
from mappers.worlds import cosines, rotated


def test_rotation_is_scipys():
    rng = np.random.default_rng(1)
    x, y = rng.standard_normal((2, 50, 7))
    np.testing.assert_allclose(rotation(x, y), orthogonal_procrustes(x, y)[0], atol=1e-12)


def test_rotation_by_hand():
    # Both unit vectors turn by a right angle: (1, 0) -> (0, 1), (0, 1) -> (-1, 0).
    w = rotation(np.eye(2), np.array([[0.0, 1.0], [-1.0, 0.0]]))
    np.testing.assert_allclose(w, [[0, 1], [-1, 0]], atol=1e-15)


@pytest.mark.parametrize("normalise", ["none", "unit", "unit,centre,unit"])
def test_recovers_a_rotation_from_some_of_the_words(normalise):
    world = rotated()
    mapping = Procrustes(normalise).fit(world.source, world.target, world.pairs(0, 60))
    mapped, target = world.mapped(mapping)
    np.testing.assert_allclose(mapped, target, atol=2e-6 * np.abs(target).max())
    assert mapping.details["mean_cosine"] == pytest.approx(1, abs=1e-6)


def test_is_optimal_among_nearby_orthogonal_maps():
    world = rotated(noise=0.5)
    pairs = world.pairs(0, 100)
    w = Procrustes().fit(world.source, world.target, pairs).source.matrix
    x, y = world.source[pairs[:, 0]].astype(float), world.target[pairs[:, 1]].astype(float)
    best = np.linalg.norm(x @ w - y)
    rng = np.random.default_rng(0)
    for _ in range(20):
        q, _ = np.linalg.qr(np.eye(20) + 0.05 * rng.standard_normal((20, 20)))
        q *= np.sign(np.diag(q))
        assert np.linalg.norm(x @ w @ q - y) > best


def test_few_pairs_are_allowed_and_warned_of(caplog):
    world = rotated()
    mapping = Procrustes().fit(world.source, world.target, world.pairs(0, 5))
    assert "5 dictionary pairs for 20 dimensions" in caplog.text
    assert cosines(*world.mapped(mapping))[:5].min() > 1 - 1e-6
