from itertools import permutations

import numpy as np
import pytest
from sklearn.cluster import KMeans

from crosslingua.mappers.mini_vec2vec import MiniVec2Vec, assignment, exchanges, kmeans, spread
from mappers.worlds import accuracy, rotated

SMALL = {"anchor_runs": 20, "neighbours": 5, "refinement_sample": 300, "clusters": 50}


def symmetric(random: np.random.Generator, size: int) -> np.ndarray:
    half = random.standard_normal((size, size))
    return half + half.T


def test_the_gain_of_an_exchange_is_the_difference_that_it_makes():
    a, b = (symmetric(np.random.default_rng(seed), 6) for seed in (0, 1))
    for i, j in np.ndindex(6, 6):
        order = np.arange(6)
        order[[i, j]] = order[[j, i]]
        gain = (a * b[np.ix_(order, order)]).sum() - (a * b).sum()
        assert exchanges(a, b)[i, j] == pytest.approx(gain)


def test_the_assignment_is_the_best_of_all_orders():
    random = np.random.default_rng(0)
    a, b = symmetric(random, 6), symmetric(random, 6)
    best = max(permutations(range(6)), key=lambda order: (a * b[np.ix_(order, order)]).sum())
    assert tuple(assignment(a, b, 20, random)) == best


def test_clusters_are_those_of_another_library():
    random = np.random.default_rng(0)
    points = random.standard_normal((200, 5)).astype(np.float32) + 4 * random.integers(0, 2, size=(200, 5))
    first = spread(points, 6, random)
    assert len(np.unique(first, axis=0)) == 6
    other = KMeans(6, init=first, n_init=1, tol=0).fit(points).cluster_centers_
    np.testing.assert_allclose(kmeans(points, first), other, atol=1e-4)


def test_a_cluster_without_points_stays():
    points = np.array([[0, 0], [1, 0]], dtype=np.float32)
    far = np.array([[0, 0], [9, 9]], dtype=np.float32)
    np.testing.assert_allclose(kmeans(points, far), [[0.5, 0], [9, 9]])


def test_equal_vectors_end_too() -> None:
    vectors = np.random.default_rng(0).standard_normal((15, 8)).astype(np.float32).repeat(20, axis=0)
    assert np.isfinite(MiniVec2Vec(**SMALL).fit(vectors, vectors).source.matrix).all()


def test_recovers_a_rotation_from_nothing():
    world = rotated(words=1000, noise=0.1)
    fitted = [MiniVec2Vec(**SMALL).fit(world.source, world.target, seed=seed) for seed in (0, 0, 2)]
    assert [accuracy(*world.mapped(one)) for one in fitted] == [1, 1, 1]
    assert fitted[0].source.matrix.tobytes() == fitted[1].source.matrix.tobytes()
    first, _, last = fitted[0].details["mean_cosine"]
    assert first < last
