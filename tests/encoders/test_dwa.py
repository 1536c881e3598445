"""Denoising word alignment against loops over tokens, one pair at a time."""

import math

import numpy as np
import pytest
import torch

from crosslingua.encoders.objectives.dwa import DWA, sides
from crosslingua.encoders.objectives.objective import Encoded, Setup
from crosslingua.encoders.objectives.settings import DWASettings
from crosslingua.errors import ConfigError
from encoders.tiny import SPECIALS, model, pair_batch
from word_aligners.slow_transport import literal_filter, literal_sinkhorn

CPU = torch.device("cpu")
LENGTHS = [(3, 4), (5, 2), (2, 2), (2, 6)]


def objective(layers=3, **values):
    torch.manual_seed(1)
    return DWA(Setup(DWASettings(**values), layers, 16, 30, SPECIALS, None))


def slow_links(states, n, m, filtered, to_the_letter=False):
    """Sections 3.1 and 5.4 on the states (t, d) of one row: links and plan, by loops."""
    source, target = states[1 : n + 1], states[n + 3 : n + 3 + m]
    similarity = np.array([[math.log(max(1e-6, float(s @ t))) for t in target] for s in source])
    plan = literal_sinkhorn(similarity, 1.0, 2)
    if filtered:
        return literal_filter(plan, 0.9, 2, to_the_letter), plan
    forward = {(i, int(plan[i].argmax())) for i in range(n)}
    return forward | {(int(plan[:, j].argmax()), j) for j in range(m)}, plan


def is_query(kind, batch, row, place, other, links_of_place):
    masked = batch.columns[row][batch.filled[row]]
    if not links_of_place:
        return False
    if kind == "masked":
        return place in masked
    if kind == "unmasked":
        return place not in masked and batch.draws[row, place] < 0.15
    return any(  # all_aligned: of each pair the token with the smaller draw, ties to the second language
        batch.draws[row, place] < batch.draws[row, o]
        or (place > o and batch.draws[row, place] == batch.draws[row, o])
        for o in other
    )


def slow_loss(dwa, ours, batch, kind="masked", filtered=True, label=3, query=3, letter=False):
    total = 0.0
    for row, (n, m) in enumerate(LENGTHS):
        length = n + m + 4
        clean = ours.hidden_states(torch.tensor(batch.clean[row : row + 1, :length]), None, None)[label][0]
        links, plan = slow_links(clean.detach().double(), n, m, filtered, letter)
        noisy = ours.hidden_states(torch.tensor(batch.ids[row : row + 1, :length]), None, None)[query][0]
        source, target = list(range(1, n + 1)), list(range(n + 3, n + 3 + m))
        for here, there, flip in ((source, target, False), (target, source, True)):
            weights = plan.T if flip else plan
            pairs = {(j, i) for i, j in links} if flip else links
            for a, place in enumerate(here):
                mine = [b for i, b in pairs if i == a]
                if not is_query(kind, batch, row, place, [there[b] for b in mine], mine):
                    continue
                best = min(mine, key=lambda b: (-weights[a, b], b))
                scores = dwa.query(noisy[place]) @ dwa.key(noisy[there]).T / math.sqrt(16)
                total = total - scores.log_softmax(0)[best]
    return total / batch.total


@pytest.mark.parametrize("kind", ["masked", "unmasked", "all_aligned"])
@pytest.mark.parametrize("filtered", [True, False])
def test_loss(kind, filtered):
    ours, batch = model(layers=3), pair_batch(LENGTHS, masked=3 if kind == "masked" else 1)
    dwa = objective(dwa_queries=kind, dwa_filter=filtered, dwa_labelling_layer=3)
    loss = dwa(Encoded(ours, batch.tensors(CPU), True))
    expected = slow_loss(dwa, ours, batch, kind, filtered)
    assert expected > 0
    torch.testing.assert_close(loss, expected, atol=1e-5, rtol=1e-4)


def test_self_labelling_reads_the_batchs_positions():
    ours, batch = model(layers=3), pair_batch(LENGTHS)
    shown = Encoded(ours, batch.tensors(CPU), True)
    counted_on, _ = objective().labels(shown, *sides(shown.batch))
    places = np.arange(batch.clean.shape[1])
    begun_again = np.where(places < batch.second[:, None], places, places - batch.second[:, None])
    for positions in (places, begun_again):
        batch.positions = np.broadcast_to(positions, batch.clean.shape).copy()
        shown = Encoded(ours, batch.tensors(CPU), True)
        plan, _ = objective().labels(shown, *sides(shown.batch))
        assert torch.equal(plan, counted_on) == (positions is places)


def test_equation_9_to_the_letter():
    ours, batch = model(layers=3), pair_batch(LENGTHS)
    dwa = objective(dwa_queries="all_aligned", dwa_discount_linked=True, dwa_labelling_layer=3)
    loss = dwa(Encoded(ours, batch.tensors(CPU), True))
    expected = slow_loss(dwa, ours, batch, "all_aligned", letter=True)
    torch.testing.assert_close(loss, expected, atol=1e-5, rtol=1e-4)
    assert abs(loss - slow_loss(dwa, ours, batch, "all_aligned")) > 1e-3  # more than rounding


def test_layers_are_free():
    ours, batch = model(layers=3), pair_batch(LENGTHS)
    dwa = objective(dwa_labelling_layer=1, dwa_query_layer=2)
    loss = dwa(Encoded(ours, batch.tensors(CPU), True))
    torch.testing.assert_close(loss, slow_loss(dwa, ours, batch, label=1, query=2), atol=1e-5, rtol=1e-4)
    with pytest.raises(ConfigError, match="layers 1 to 3"):
        objective(dwa_query_layer=4)


@pytest.mark.parametrize(("layers", "expected"), [(12, 10), (6, 5), (2, 2), (1, 1)])
def test_the_published_relative_depth(layers, expected):
    assert objective(layers=layers).labelling_layer == expected
    assert objective(layers=layers).query_layer == layers


def test_self_labelling_carries_no_gradient():
    ours = model(layers=3, dropout=0.5)
    shown = Encoded(ours, pair_batch(LENGTHS).tensors(CPU), True)
    plan, links = objective().labels(shown, *sides(shown.batch))
    assert (plan.requires_grad, links.dtype, ours.training) == (False, torch.bool, True)
    again, _ = objective().labels(shown, *sides(shown.batch))
    assert torch.equal(plan, again)  # no dropout in it


def test_gradient_reaches_pointer_and_encoder():
    ours, dwa = model(layers=3), objective()
    dwa(Encoded(ours, pair_batch(LENGTHS).tensors(CPU), True)).backward()
    for part in (dwa.query, dwa.key, ours.layers[0].attention["self"]["query"]):
        assert part.weight.grad.any()
    assert ours.head.weight.grad is None


def test_no_queries_no_loss():
    shown = Encoded(model(layers=3), pair_batch(LENGTHS).tensors(CPU), True)
    assert objective(dwa_queries="none")(shown) == 0
