import numpy as np
import pytest
import torch

from crosslingua.errors import ConfigError
from crosslingua.mappers.contrastive import Contrastive, contrast
from crosslingua.mappers.mapper import build
from mappers.worlds import accuracy, cosines, rotated, unit

QUICK = {"steps": 40, "negatives": 20, "added": 100}


def by_torch(sides, maps, pairs, number: int, most: int) -> tuple[float, list[np.ndarray]]:
    """The loss of section 2.1 and its gradients, pair by pair, with lengths that have no gradient."""
    weights = [torch.tensor(one, requires_grad=True) for one in maps]
    mapped = [torch.tensor(side, dtype=torch.float64) @ one for side, one in zip(sides, weights, strict=True)]
    x, y = (one / one.detach().norm(dim=1, keepdim=True) for one in mapped)
    losses = []
    for i, j in pairs:
        right = x[i] @ y[j]
        near = [
            torch.stack([value for place, value in enumerate(values[:most]) if place != own])
            .topk(number)
            .values
            for values, own in ((y @ x[i], j), (x @ y[j], i))
        ]
        losses.append(torch.logsumexp(torch.cat([right[None], *near]), 0) - right)
    loss = torch.stack(losses).mean()
    loss.backward()
    return loss.item(), [one.grad.numpy() for one in weights]


@pytest.mark.parametrize("most", [400, 30])
def test_loss_and_gradients_are_those_of_torch(most):
    world = rotated(noise=0.3)
    sides, random = (unit(world.source), unit(world.target)), np.random.default_rng(1)
    maps = [np.eye(20) + 0.1 * random.standard_normal((20, 20)) for _ in sides]
    pairs = np.concatenate([world.pairs(0, 50), world.pairs(40, 60)])  # words with two pairs
    loss, gradients = contrast(sides, maps, pairs, Contrastive(negatives=7, negatives_from=most))
    expected, expected_gradients = by_torch(sides, maps, pairs, 7, most)
    assert loss == pytest.approx(expected, rel=1e-6)
    for one, other in zip(gradients, expected_gradients, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-6)


def test_a_language_of_one_word_has_no_negative():
    loss, _ = contrast([np.eye(1, dtype=np.float32)] * 2, [np.eye(1)] * 2, np.array([[0, 0]]), Contrastive())
    assert loss == 0


def test_a_small_dictionary_is_named_with_a_remedy():
    world = rotated()
    with pytest.raises(ConfigError, match=r"^the 10 dictionary pairs do not span the 20 dimensions"):
        Contrastive(**QUICK).fit(world.source, world.target, world.pairs(0, 10))


def test_steps_tell_translations_from_near_words():
    world = rotated(noise=0.8, seed=4)
    known = world.pairs(0, 60)
    start = Contrastive(**QUICK | {"loops": 1, "steps": 1, "lr": 1e-9}).fit(world.source, world.target, known)
    fitted = Contrastive(**QUICK | {"loops": 1}).fit(world.source, world.target, known)
    losses = fitted.details["loss"]
    assert losses[-1] < losses[0] == start.details["loss"][0]
    sides = [[one[:60] for one in world.mapped(mapping)] for mapping in (start, fitted)]
    assert accuracy(*sides[1]) >= accuracy(*sides[0])


def test_self_learning_adds_pairs_of_other_words():
    world = rotated(noise=0.5, seed=2)
    fitted = Contrastive(**QUICK).fit(world.source, world.target, world.pairs(0, 40))
    first, second = fitted.details["added"]
    assert first == 0
    assert 0 < second <= 2 * QUICK["added"]
    alone = Contrastive(**QUICK | {"loops": 1}).fit(world.source, world.target, world.pairs(0, 40))
    assert accuracy(*world.mapped(fitted)) > accuracy(*world.mapped(alone))


def test_two_loops_recover_a_rotation_and_are_repeated_to_the_byte():
    world = rotated()
    fitted, again = (
        build("contrastive", QUICK).fit(world.source, world.target, world.pairs(0, 60), seed=seed)
        for seed in (0, 0)
    )
    assert accuracy(*world.mapped(fitted)) == 1
    assert cosines(*world.mapped(fitted)).min() > 0.99
    assert fitted.source.matrix.tobytes() == again.source.matrix.tobytes()
