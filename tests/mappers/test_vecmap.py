import numpy as np
import pytest
from scipy.linalg import orthogonal_procrustes, sqrtm

from crosslingua.errors import ConfigError
from crosslingua.mappers import vecmap
from crosslingua.mappers.mapper import fit_both
from crosslingua.mappers.muse import Muse
from crosslingua.mappers.procrustes import Procrustes
from crosslingua.mappers.vecmap import VecMap
from mappers.worlds import accuracy, cosines, rotated, unit

QUICK = {"stochastic_interval": 5}  # iterations; the default rests ten times as long


def test_root_similarities_square_to_the_similarities():
    matrix = np.random.default_rng(0).standard_normal((30, 6)).astype(np.float32)
    root = vecmap.root_similarities(matrix)
    np.testing.assert_allclose(root @ root, matrix @ matrix.T, atol=1e-4)
    np.testing.assert_allclose(root, sqrtm(matrix.astype(float) @ matrix.T.astype(float)).real, atol=1e-3)


def test_orthogonal_maps_are_procrustes():
    x, z = np.random.default_rng(0).standard_normal((2, 40, 5))
    u, v = vecmap.orthogonal_maps(x, z)
    np.testing.assert_allclose(u @ v.T, orthogonal_procrustes(x, z)[0], atol=1e-10)


def test_whitened_axes_are_uncorrelated_and_weighted_by_their_correlation():
    # Without de-whitening: X U' has covariance S^(2 * 0.5) and the cross-covariance is S^2. De-whitening multiplies by
    # matrices that are known from scipy's square roots, so undo them and look.
    x, z = np.random.default_rng(0).standard_normal((2, 200, 4))
    z = z + x
    u, v, s = vecmap.final_maps(x, z, 0.5)
    x_root, z_root = sqrtm(x.T @ x).real, sqrtm(z.T @ z).real
    left, _, right = np.linalg.svd(np.linalg.inv(x_root) @ x.T @ z @ np.linalg.inv(z_root))
    a = x @ u @ np.linalg.inv(left.T @ x_root @ left)
    b = z @ v @ np.linalg.inv(right @ z_root @ right.T)
    np.testing.assert_allclose(a.T @ a, np.diag(s), atol=1e-8)
    np.testing.assert_allclose(b.T @ b, np.diag(s), atol=1e-8)
    np.testing.assert_allclose(a.T @ b, np.diag(s**2), atol=1e-8)


@pytest.mark.parametrize("mode", ["supervised", "semi_supervised"])
def test_recovers_a_rotation_from_a_dictionary(mode):
    world = rotated()
    mapping = VecMap(mode, **QUICK).fit(world.source, world.target, world.pairs(0, 60), seed=1)
    mapped, target = world.mapped(mapping)
    np.testing.assert_allclose(mapped, target, atol=1e-5 * np.abs(target).max())


@pytest.mark.parametrize("noise", [0.0, 0.3])
def test_recovers_a_rotation_from_nothing(noise):
    # Noise of 0.3 a coordinate leaves translations a cosine of 0.96.
    world = rotated(words=500, noise=noise, seed=3)
    mapping = VecMap(**QUICK).fit(world.source, world.target, seed=0)
    assert accuracy(*world.mapped(mapping)) > 0.99
    if not noise:
        inside = mapping.into_target(world.source), world.target[world.permutation]
        assert all(cosines(*sides).min() > 1 - 1e-5 for sides in (world.mapped(mapping), inside))


@pytest.mark.parametrize(("learner", "normalise"), [
    (Muse("dictionary"), "none"), (VecMap("semi_supervised", **QUICK), "unit,centre,unit"),
], ids=["muse", "vecmap"])  # fmt: skip
def test_self_learning_improves_a_small_dictionary(learner, normalise):
    world, scores = rotated(words=500, noise=0.4, seed=5), []
    for mapper in (Procrustes(normalise), learner):
        mapping = mapper.fit(world.source, world.target, world.pairs(0, 12), seed=1)
        scores.append(accuracy(*world.mapped(mapping)))
    assert scores[1] > scores[0] + 0.1


def test_seeds_and_workers(monkeypatch):
    world = rotated(words=200, noise=0.3)
    matrices = []
    for seed, workers in ((1, "1"), (1, "2"), (2, "1")):
        monkeypatch.setenv("OMP_NUM_THREADS", workers)
        mapping = VecMap(**QUICK, stochastic_initial=0.5).fit(world.source, world.target, seed=seed)
        matrices.append((mapping.source.matrix.tobytes(), mapping.details["objective"]))
    assert matrices[0] == matrices[1]
    assert matrices[0][1] != matrices[2][1]


def test_dictionaries_are_of_as_many_words_as_there_are_up_to_the_cutoff():
    world = rotated(words=90, dimension=5)
    details = VecMap(**QUICK).fit(world.source, world.target[:80], seed=0).details
    assert (details["words"], details["initial_pairs"]) == ([90, 80], 160)
    details = VecMap(**QUICK, vocabulary_cutoff=60).fit(world.source, world.target, seed=0).details
    assert (details["words"], details["pairs"]) == ([60, 60], 120)


def test_the_best_of_several_runs_is_kept():
    world = rotated(words=60, noise=0.9, seed=6)
    details = VecMap(**QUICK, runs=3).fit(world.source, world.target, seed=0).details
    assert len(details["objective_of_runs"]) == 3
    assert details["objective"][-1] == max(details["objective_of_runs"])


def test_too_few_pairs_to_whiten():
    world = rotated()
    given = world.source, world.target, world.pairs(0, 10)
    with pytest.raises(ConfigError, match=r"10 dictionary pairs do not span the 20 .* fewer dimensions"):
        VecMap("supervised").fit(*given)
    mapping = VecMap("supervised", reweight=0).fit(*given)
    assert cosines(*world.mapped(mapping))[:10].min() > 0.9


def test_a_map_that_is_no_better_than_from_random_pairs_is_degenerate():
    world = rotated(words=400, noise=0.3)
    mapper = VecMap(unsupervised_vocabulary=400, **QUICK)
    found = mapper.fit(world.source, world.target, seed=1)
    assert accuracy(*world.mapped(found)) > 0.9
    assert found.details["degenerate"] is False
    unrelated = np.random.default_rng(9).standard_normal(world.target.shape).astype(np.float32)
    failed = mapper.fit(world.source, unrelated, seed=1)
    assert failed.details["degenerate"] is True
    assert failed.details["objective"][-1] < failed.details["floor"]
    unchecked = VecMap(unsupervised_vocabulary=400, min_gain=0, **QUICK)
    assert "degenerate" not in unchecked.fit(world.source, world.target, seed=1).details


@pytest.mark.slow
def test_the_floor_stays_low_where_random_pairs_lead_to_the_right_map():
    world = rotated(words=400, noise=0.05)
    (_, source), (_, target) = fit_both(world.source, world.target, "unit")
    mapper = VecMap(unsupervised_vocabulary=400, **QUICK)
    assert mapper.fit(world.source, world.target, seed=3).details["objective"][-1] > 0.99
    assert max(mapper.floor(source, target, (0, i)) for i in range(8)) < 0.85


def test_spaces_on_a_gpu_give_the_same_dictionary():
    rng = np.random.default_rng(4)
    sides = [unit(rng.normal(size=(n, 10)).astype(np.float32)) for n in (150, 120)]
    pairs = np.stack([np.arange(80), rng.permutation(80)], axis=1)
    kinds = vecmap.Spaces, vecmap.SpacesOnGpu
    cpu, gpu = (kind(*sides, 100, "cpu").induce(pairs, 10, 0.5, (1, 2)) for kind in kinds)
    assert cpu[0].tolist() == gpu[0].tolist()
    assert cpu[1] == pytest.approx(gpu[1], abs=1e-6)
