import numpy as np
import pytest

from crosslingua.mappers import rcsls
from crosslingua.mappers.procrustes import rotation
from crosslingua.mappers.rcsls import RCSLS, Neighbourhood, NeighbourhoodOnGpu, RcslsProblem
from mappers.worlds import cosines, rotated, unit


def problem(noise=0.3, k=4, words=80, dimension=6, pairs=30):
    world = rotated(words, dimension, noise=noise)
    rows = world.pairs(0, pairs)
    source, target = unit(world.source), unit(world.target)
    return RcslsProblem(source[rows[:, 0]], target[rows[:, 1]], source, target, k)


def brute_force_csls(p: RcslsProblem, w: np.ndarray) -> float:
    """Mean CSLS of the dictionary pairs, times -1, word by word in float64 with inner products."""
    total = 0.0
    for x, y in zip(p.x.astype(float), p.y.astype(float), strict=True):
        to_target = sorted((float(x @ w @ z) for z in p.target.astype(float)), reverse=True)[: p.k]
        to_source = sorted((float(z @ w @ y) for z in p.source.astype(float)), reverse=True)[: p.k]
        total += 2 * float(x @ w @ y) - np.mean(to_target) - np.mean(to_source)
    return -total / len(p.x)


@pytest.mark.parametrize("scale", [0.1, 1.0, 3.0])
def test_loss_is_brute_force_csls(scale):
    p = problem()
    w = scale * np.random.default_rng(0).standard_normal((6, 6))
    assert p.loss(w)[0] == pytest.approx(brute_force_csls(p, w), rel=1e-5, abs=1e-6)


def test_gradient_is_that_of_finite_differences():
    # Neighbours change only on a null set of maps, so the loss is differentiable at a generic one.
    p = problem()
    rng = np.random.default_rng(3)
    w = rotation(p.x, p.y) + 0.1 * rng.standard_normal((6, 6))
    gradient = p.loss(w)[1]
    step = 1e-6
    for row in range(6):
        for column in range(6):
            d = np.zeros((6, 6))
            d[row, column] = step
            difference = (brute_force_csls(p, w + d) - brute_force_csls(p, w - d)) / (2 * step)
            assert gradient[row, column] == pytest.approx(difference, abs=1e-5)


def test_a_rotation_is_recovered_exactly():
    # In closed form Procrustes has it already; the descent must not lose it where the constraint holds it.
    world = rotated()
    mapping = RCSLS(projection="spectral").fit(world.source, world.target, world.pairs(0, 60))
    mapped, target = mapping.map_source(world.source), mapping.map_target(world.target)
    singular = np.linalg.svd(mapping.source.matrix, compute_uv=False)
    assert singular.max() <= 1 + 1e-9
    assert cosines(mapped, target[world.permutation]).min() > 0.98
    np.testing.assert_array_equal(np.argmax(mapped @ target.T, axis=1), world.permutation)


def test_the_loss_never_rises_and_steps_are_halved():
    world = rotated(noise=0.4)
    mapper = RCSLS(lr=200, niter=15, projection="spectral")
    details = mapper.fit(world.source, world.target, world.pairs(0, 80)).details
    losses, rejected = details["losses"], details["rejected_steps"]
    assert losses == sorted(losses, reverse=True)
    assert losses[-1] < losses[0]
    assert rejected == 16 - len(losses) > 0
    assert details["final_lr"] == 200 / 2**rejected


def test_spectral_projection_is_the_nearest_point():
    w = np.diag([3.0, 0.5, 1.0])
    np.testing.assert_allclose(RCSLS(projection="spectral")._project(w), np.diag([1.0, 0.5, 1.0]), atol=1e-12)


def test_fewer_words_than_neighbours_are_clipped_and_recorded():
    world = rotated(words=8, dimension=3)
    assert RCSLS().fit(world.source, world.target, world.pairs(0, 8)).details["neighbours"] == 8


def test_a_gpu_finds_the_same_moments_whatever_its_blocks(monkeypatch):
    rng = np.random.default_rng(2)
    words, vocabulary = (rng.normal(size=(n, 8)).astype(np.float32) for n in (60, 200))
    words[:20] = words[20:40]
    for size in (rcsls.ON_GPU, 1000):
        monkeypatch.setattr(rcsls, "ON_GPU", size)
        cpu, gpu = Neighbourhood(words, vocabulary, 5), NeighbourhoodOnGpu(words, vocabulary, 5, "cpu")
        for w in (np.eye(8), rng.normal(size=(8, 8))):
            assert np.allclose(cpu.moment(w), gpu.moment(w), rtol=0, atol=1e-12)
