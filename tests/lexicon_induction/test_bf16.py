"""Screening in bfloat16 gives the bits of the float32 path and of a float64 brute force, near ties included."""

import numpy as np
import pytest
import torch

from crosslingua.lexicon_induction import bf16, exact, retrieval
from crosslingua.lexicon_induction.retrieval import unit_rows

K = 10


def brute_force(queries, candidates, k, query_bias=None, candidate_bias=None):
    cosines = (queries.astype(np.float64) @ candidates.astype(np.float64).T).astype(np.float32)
    scores = cosines
    if candidate_bias is not None:
        scores = (2 * cosines.astype(np.float64) - query_bias[:, None] - candidate_bias).astype(np.float32)
    order = np.argsort(-scores, axis=1, kind="stable")[:, :k]  # stable: ties by lower index
    return order, np.take_along_axis(scores, order, axis=1)


def cases():
    rng = np.random.default_rng(0)
    base = rng.normal(size=(1, 40))
    normal = rng.normal(size=(1500, 40)), rng.normal(size=(4500, 40))
    yield "normal", *normal
    yield "crowded", base + 0.05 * rng.normal(size=(300, 40)), base + 0.05 * rng.normal(size=(700, 40))
    # Differences far below bfloat16's resolution, but above float32's.
    yield "near ties", base + rng.normal(size=(200, 40)), base + 1e-4 * rng.normal(size=(900, 40))
    few = rng.normal(size=(30, 40))
    yield "equal rows", few[rng.integers(0, 30, 400)], few[rng.integers(0, 30, 1300)]
    yield "all below zero", np.abs(rng.normal(size=(150, 40))), -np.abs(rng.normal(size=(260, 40)))
    yield "fewer than k", rng.normal(size=(130, 5)), rng.normal(size=(7, 5))
    yield "one dimension", rng.normal(size=(20, 1)), rng.normal(size=(400, 1))
    yield "one query", rng.normal(size=(1, 300)), rng.normal(size=(5000, 300))


@pytest.mark.parametrize(("name", "source", "target"), list(cases()), ids=[name for name, *_ in cases()])
def test_equals_float32_path_and_brute_force(name, source, target):
    source, target = unit_rows(source), unit_rows(target)
    for search in (exact.top, brute_force):
        np.testing.assert_equal(bf16.top(source, target, K), search(source, target, K))
    both = bf16.top_both(source, target, K)
    assert np.array_equal(both[0], exact.top(source, target, K)[1])
    assert np.array_equal(both[1], exact.top(target, source, K)[1])
    assert np.array_equal(both[1], bf16.top(target, source, K)[1])
    r_target, r_source = (cosines.mean(axis=1, dtype=np.float64) for cosines in both)
    found = bf16.top(source, target, K, (r_target, r_source))
    np.testing.assert_equal(found, exact.top(source, target, K, (r_target, r_source)))
    np.testing.assert_equal(found, brute_force(source, target, K, r_target, r_source))


def test_crowded_queries_are_given_up_and_still_right():
    rng = np.random.default_rng(1)
    base = rng.normal(size=(1, 30))
    source = unit_rows(rng.normal(size=(5, 30)))
    target = unit_rows(np.concatenate([base + 1e-5 * rng.normal(size=(600, 30)), rng.normal(size=(50, 30))]))
    left, right = bf16._side(source), bf16._side(target)
    found = bf16.Buffers(5, K, bf16._slack(left, right))
    for block, row, column in bf16._blocks(left, right):
        bf16.collect_rows(block, row, column, len(target), *found.arguments())
    assert (found.bars[:5] == bf16.GIVEN_UP).any()
    assert np.array_equal(bf16.top(source, target, K)[0], brute_force(source, target, K)[0])


def test_screened_values_lie_within_the_bound():
    rng = np.random.default_rng(2)
    source, target = (unit_rows(rng.normal(size=(300, 64)) + 0.3) for _ in range(2))
    bias = rng.uniform(-0.5, 0.5, 300).astype(np.float32)
    left, right = bf16._side(source), bf16._side(target, bias)
    left.rounded = torch.cat([left.rounded, torch.full((300, 2), -1.0, dtype=torch.bfloat16)], dim=1)
    screened = left.rounded.double().numpy() @ right.rounded.double().numpy().T
    true = source.astype(np.float64) @ target.astype(np.float64).T - bias
    error, bound = np.abs(screened - true), bf16._slack(left, right)[:, None]
    assert (error <= bound).all()
    assert error.max() > bound.max() / 20  # the bound is of the error's order, not a blank cheque


def test_keys_order_as_the_numbers_do():
    values = bf16.VALUES
    finite = values[np.isfinite(values)]
    assert (np.diff(finite) >= 0).all()
    bits = torch.from_numpy(finite).to(torch.bfloat16)
    assert np.array_equal(bits.float().numpy(), finite)
    keys = [bf16._key(number) for number in bits.view(torch.int16).numpy()]
    found = values[np.array(keys, dtype=np.int64) + 2**15]
    assert np.array_equal(found.view(np.int32), finite.view(np.int32))


def test_threads_do_not_change_the_bits():
    rng = np.random.default_rng(3)
    source, target = unit_rows(rng.normal(size=(700, 33))), unit_rows(rng.normal(size=(900, 33)))
    before, results = torch.get_num_threads(), []
    try:
        for threads in (1, 2):
            torch.set_num_threads(threads)
            both = bf16.top_both(source, target, K)
            means = tuple(cosines.mean(axis=1, dtype=np.float64) for cosines in both)
            results.append(bf16.top(source, target, K, means))
    finally:
        torch.set_num_threads(before)
    assert all(np.array_equal(a, b) for a, b in zip(*results, strict=True))


def test_large_problems_take_this_path_and_agree(monkeypatch):
    rng = np.random.default_rng(4)
    source, target = rng.normal(size=(150, 12)), rng.normal(size=(260, 12))
    rows = np.array([3, 149, 7])

    def searched() -> list:
        csls = [retrieval.csls(source, target, *some) for some in ((), (rows,))]
        return [*csls, retrieval.nearest(source, target)]

    expected = searched()
    monkeypatch.setattr(retrieval, "repaid", lambda: 0)
    monkeypatch.setattr(retrieval, "processor_flags", lambda: {"avx512_bf16"})
    monkeypatch.setattr(exact, "top", lambda *_: pytest.fail("the float32 path was taken"))
    np.testing.assert_equal(searched(), expected)
    monkeypatch.undo()
    monkeypatch.setattr(retrieval, "repaid", lambda: 0)
    monkeypatch.setattr(retrieval, "processor_flags", frozenset)
    monkeypatch.setattr(bf16, "top", lambda *_: pytest.fail("bfloat16 was used on a processor without it"))
    assert np.array_equal(retrieval.nearest(source, target)[0], expected[2][0])
