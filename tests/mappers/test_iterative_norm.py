import numpy as np
import pytest

from crosslingua.errors import ConfigError
from crosslingua.mappers.iterative_norm import IterativeNorm
from crosslingua.mappers.mapper import build
from crosslingua.mappers.procrustes import Procrustes
from crosslingua.mappers.rcsls import RCSLS
from mappers.worlds import cosines, rotated


def plainly(matrix, rounds):
    matrix = matrix.astype(np.float64)
    for _ in range(rounds):
        matrix = matrix / np.linalg.norm(matrix, axis=1, keepdims=True)
        matrix = matrix - matrix.mean(axis=0)
    return matrix / np.linalg.norm(matrix, axis=1, keepdims=True)


def test_is_the_plain_iteration_in_five_rounds():
    world = rotated()
    mapping = IterativeNorm().fit(world.source, world.target, world.pairs(0, 60))
    np.testing.assert_allclose(mapping.map_target(world.target), plainly(world.target, 5), atol=2e-6)
    offset = np.linalg.norm(plainly(world.source, 5).mean(axis=0))
    assert mapping.details["source_mean_length"] == pytest.approx(offset, abs=1e-5)


def test_more_rounds_come_closer():
    world = rotated()
    given = (world.source, world.target, world.pairs(0, 60))
    offsets = [IterativeNorm(rounds=n).fit(*given).details["source_mean_length"] for n in (1, 2, 4)]
    assert offsets == sorted(set(offsets), reverse=True)
    assert offsets[-1] < 1e-2


@pytest.mark.parametrize("inner", ["procrustes", "rcsls"])
def test_recovers_a_rotation_in_front_of_any_mapper(inner):
    world = rotated()
    mapper = IterativeNorm(inner, inner_settings={"projection": "spectral"} if inner == "rcsls" else {})
    mapping = mapper.fit(world.source, world.target, world.pairs(0, 60))
    assert cosines(*world.mapped(mapping)).min() > (0.999999 if inner == "procrustes" else 0.98)


def test_helps_where_languages_are_offset_differently():
    # Unlike a rotation, an offset and lengths per word cannot be mapped; normalising takes them away.
    world = rotated(noise=0.2)
    lengths = np.random.default_rng(2).uniform(0.3, 3, size=(400, 1))
    target = (world.target * lengths + 2).astype(np.float32)
    scores = []
    for mapper in (Procrustes(), IterativeNorm()):
        mapping = mapper.fit(world.source, target, world.pairs(0, 100))
        mapped = mapping.map_source(world.source), mapping.map_target(target)[world.permutation]
        scores.append(cosines(*mapped).mean())
    assert scores[1] > scores[0]


def test_settings_of_the_inner_mapper_as_text():
    mapper = build("iterative_norm", {"inner": "rcsls", "inner.niter": "3", "rounds": "2"})
    world = rotated()
    details = mapper.fit(world.source, world.target, world.pairs(0, 60)).details
    assert (details["inner"], details["rounds"]) == ("rcsls", 2)
    plain = RCSLS(niter=3).fit(world.source, world.target, world.pairs(0, 60)).details
    assert len(details["inner_details"]["losses"]) == len(plain["losses"])
    with pytest.raises(ConfigError, match="mapper rcsls has no setting 'iterations'"):
        build("iterative_norm", {"inner": "rcsls", "inner.iterations": "3"})
    with pytest.raises(ConfigError, match="must be a whole number"):
        build("iterative_norm", {"rounds": "two"})


def test_into_target_comes_back_where_the_spaces_are_rotations():
    world = rotated()
    mapping = IterativeNorm().fit(world.source, world.target, world.pairs(0, 60))
    np.testing.assert_allclose(mapping.into_target(world.source), world.target[world.permutation], atol=2e-4)
