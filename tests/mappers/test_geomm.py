import re

import numpy as np
import pytest
from scipy.linalg import solve_sylvester, sqrtm

from crosslingua.mappers.geomm import GeoMM, GeommProblem
from mappers.worlds import accuracy, cosines, rotated

MANY_TO_MANY = np.array([[0, 3], [0, 4], [1, 4], [2, 2], [5, 0], [5, 0], [6, 7], [7, 6], [8, 9], [9, 8]])


def random_problem(d=4, l2_reg=0.7):
    rng = np.random.default_rng(0)
    source, target = rng.standard_normal((2, 12, d)).astype(np.float32)
    return source, target, GeommProblem.of(source, target, MANY_TO_MANY, l2_reg)


def random_point(d=4, seed=1):
    rng = np.random.default_rng(seed)
    u, v = (np.linalg.qr(m)[0] for m in rng.standard_normal((2, d, d)))
    root = rng.standard_normal((d, d))
    return u, root @ root.T + 0.1 * np.eye(d), v


def plainly(source, target, pairs, l2_reg, u, b, v):
    """The objective as the paper writes it, with the matrix Y."""
    rows, columns = sorted(set(pairs[:, 0])), sorted(set(pairs[:, 1]))
    y = np.zeros((len(rows), len(columns)))
    for s, t in pairs:
        y[rows.index(s), columns.index(t)] = 1
    similarity = source[rows].astype(float) @ u @ b @ v.T @ target[columns].astype(float).T
    return np.sum((similarity - y) ** 2) + l2_reg * np.sum(b**2)


def test_cost_is_the_papers_objective():
    source, target, problem = random_problem()
    for seed in range(3):
        point = random_point(seed=seed)
        expected = plainly(source, target, MANY_TO_MANY, 0.7, *point)
        assert problem.cost(*point) == pytest.approx(expected, rel=1e-9)


def test_gradient_is_that_of_finite_differences():
    _, _, problem = random_problem()
    point = random_point()
    gradient = problem.gradient(*point)
    rng = np.random.default_rng(5)
    for part in range(3):
        direction = rng.standard_normal((4, 4))
        if part == 1:
            direction += direction.T  # the metric stays symmetric
        step = 1e-6
        ahead, behind = [*point], [*point]
        ahead[part], behind[part] = point[part] + step * direction, point[part] - step * direction
        difference = (problem.cost(*ahead) - problem.cost(*behind)) / (2 * step)
        assert np.sum(gradient[part] * direction) == pytest.approx(difference, rel=1e-6)


def fitted(l2_reg=5.0, iterations=400):
    world = rotated(noise=0.3)
    mapper = GeoMM(l2_reg=l2_reg, max_opt_iter=iterations)
    return world, mapper, mapper.fit(world.source, world.target, world.pairs(0, 120))


@pytest.mark.parametrize(("iterations", "stopped"), [(2, "max iterations"), (5000, "min ")])
def test_the_report_holds_no_time(iterations, stopped):
    mapping = fitted(iterations=iterations)[2]
    assert mapping.details["stopped"].startswith(stopped)
    assert not re.search(r"\d", mapping.details["stopped"])


def test_reaches_the_global_optimum():
    # Any matrix is U B V' (singular value decomposition), and ||B|| = ||U B V'||: what is minimised is ridge
    # regression on W = U B V', which a Sylvester equation solves: X'X W Z'Z + lambda W = X'YZ.
    world, _, mapping = fitted()
    source = mapping.source.normalisation.apply(world.source)
    target = mapping.target.normalisation.apply(world.target)
    problem = GeommProblem.of(source, target, world.pairs(0, 120), 5.0)
    inverse = np.linalg.inv(problem.target_gram)
    w = solve_sylvester(problem.source_gram, 5.0 * inverse, problem.cross @ inverse)
    u, s, vt = np.linalg.svd(w)
    best = problem.cost(u, np.diag(s), vt.T)
    reached = mapping.details["objective"][-1]
    assert best - 1e-6 <= reached <= best * (1 + 1e-4)
    # And the similarities that the two maps give are those of the optimum.
    similarity = mapping.map_source(world.source) @ mapping.map_target(world.target).T
    np.testing.assert_allclose(similarity, source @ w @ target.T, atol=2e-2 * np.abs(similarity).max())


def test_maps_are_rotations_times_the_root_of_the_metric():
    _, _, mapping = fitted()
    source, target = mapping.source.matrix, mapping.target.matrix
    np.testing.assert_allclose(source.T @ source, target.T @ target, atol=1e-8)
    rotation = source @ np.linalg.inv(sqrtm(source.T @ source))
    np.testing.assert_allclose(rotation.T @ rotation, np.eye(20), atol=1e-8)


def test_recovers_a_rotation():
    world = rotated()
    mapping = GeoMM(l2_reg=1.0, max_opt_iter=1000).fit(world.source, world.target, world.pairs(0, 120))
    assert cosines(*world.mapped(mapping)).min() > 1 - 1e-3
    assert accuracy(*world.mapped(mapping)) == 1
    inside = mapping.into_target(world.source)
    assert cosines(inside, world.target[world.permutation]).min() > 1 - 1e-3


def test_the_objective_falls_to_the_same_bytes_again():
    first, again = (fitted(iterations=30)[2] for _ in range(2))
    curve = first.details["objective"]
    assert curve == sorted(curve, reverse=True)
    assert curve[-1] < curve[0]
    assert first.source.matrix.tobytes() == again.source.matrix.tobytes()
