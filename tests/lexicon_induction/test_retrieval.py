"""NN and CSLS against hand-worked values, scikit-learn and a brute force, in bfloat16 and by the GPU's search too."""

import subprocess
import sys

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.neighbors import NearestNeighbors

from crosslingua.errors import ConfigError
from crosslingua.lexicon_induction import RETRIEVALS, bf16, exact, gpu, retrieval
from crosslingua.lexicon_induction.retrieval import csls, device_type, mean_similarities, nearest, unit_rows

K = 10


def normal(seed, *shapes):
    rng = np.random.default_rng(seed)
    return [rng.normal(size=shape) for shape in shapes]


def brute_force(source, target, rows, k, neighbours=None):
    """Rank by the documented definition, one pair at a time (`neighbours` None: cosine)."""
    left, right = (unit_rows(side).astype(np.float64) for side in (source, target))
    scores = cosines = np.array(
        [[np.float32(sum(a * b for a, b in zip(x, y, strict=True))) for y in right] for x in left]
    )
    if neighbours is not None:
        r_target = np.sort(cosines, axis=1)[:, ::-1][:, :neighbours].mean(axis=1, dtype=np.float64)
        r_source = np.sort(cosines, axis=0)[::-1][:neighbours].mean(axis=0, dtype=np.float64)
        scores = (2 * cosines.astype(np.float64) - r_target[:, None] - r_source).astype(np.float32)
    ranked = [sorted(range(len(target)), key=lambda j, row=row: (-scores[row, j], j)) for row in rows]
    order = np.array(ranked)[:, :k]
    return order, np.take_along_axis(scores[rows], order, axis=1)


def test_csls_worked_by_hand():
    # Unit vectors at these angles: cos(0°)=1, cos(60°)=1/2, cos(90°)=0.
    def at(*degrees):
        return np.array([[np.cos(np.radians(a)), np.sin(np.radians(a))] for a in degrees])

    source, target = at(0, 60), at(0, 60, 90, 180)
    # cosines     y0   y1   y2      y3
    # x0 (0°)     1    1/2  0       -1
    # x1 (60°)    1/2  1    0.8660  -1/2
    # With 2 neighbours: r_T(x0) = 0.75, r_T(x1) = 0.9330; r_S = 0.75, 0.75, 0.4330, -0.75.
    half_root = np.sqrt(3) / 2
    r_1 = (1 + half_root) / 2
    expected = [  # in the order of the columns found
        [2 - 0.75 - 0.75, 1 - 0.75 - 0.75, 0 - 0.75 - half_root / 2, -2 - 0.75 + 0.75],
        [2 * half_root - r_1 - half_root / 2, 2 - r_1 - 0.75, 1 - r_1 - 0.75, -1 - r_1 + 0.75],
    ]
    indices, scores = csls(source, target, k=4, neighbours=2)
    assert indices.tolist() == [[0, 1, 2, 3], [2, 1, 0, 3]]
    np.testing.assert_allclose(scores, expected, atol=1e-6)
    assert scores.tolist() == [sorted(row, reverse=True) for row in scores.tolist()]


def test_csls_takes_a_hub_down():
    # y0 is the nearest target of all three sources; y1 is x2's own, a little further away.
    source = np.array([[1, 0.02, 0], [1, -0.02, 0], [0.9, 0, 0.44]])
    target = np.array([[1, 0, 0.1], [0.5, 0, 1.0]])
    assert nearest(source, target, k=1)[0].ravel().tolist() == [0, 0, 0]
    assert csls(source, target, k=1, neighbours=2)[0].ravel().tolist() == [0, 0, 1]


def test_agrees_with_scikit_learn():
    source, target = normal(0, (400, 20), (700, 20))
    search = NearestNeighbors(n_neighbors=10, metric="cosine", algorithm="brute").fit(target)
    distances, expected = search.kneighbors(source)
    indices, scores = nearest(source, target)
    assert np.array_equal(indices, expected)
    np.testing.assert_allclose(scores, 1 - distances, atol=1e-6)


@settings(max_examples=60)
@given(
    seed=st.integers(0, 2**32),
    sizes=st.tuples(st.integers(1, 12), st.integers(1, 40), st.integers(1, 6)),
    k=st.integers(1, 12),
    neighbours=st.integers(1, 15),
    tied=st.booleans(),
)
def test_random_cases_with_ties(seed, sizes, k, neighbours, tied):
    n, m, d = sizes
    rng = np.random.default_rng(seed)
    if tied:  # few directions, so that most scores occur several times
        source, target = (rng.integers(-1, 2, (size, d)).astype(float) for size in (n, m))
        source[:, 0] = target[:, 0] = 1
    else:
        source, target = rng.normal(size=(n, d)), rng.normal(size=(m, d))
    rows = rng.integers(0, n, 5)
    by_cosine = nearest(source, target, rows, k=k), brute_force(source, target, rows, k)
    by_csls = csls(source, target, rows, k=k, neighbours=neighbours)
    for found, expected in (by_cosine, (by_csls, brute_force(source, target, rows, k, neighbours))):
        assert np.array_equal(found[0], expected[0])
        np.testing.assert_array_max_ulp(found[1], expected[1], 1)


def test_ties_among_many_columns_go_to_the_lowest_index(monkeypatch):
    rng = np.random.default_rng(1)
    distinct = rng.normal(size=(7, 30)).astype(np.float32)
    target = distinct[rng.integers(0, 7, 3000)]
    indices, _ = nearest(distinct, target, k=10)
    for found, vector in zip(indices, distinct, strict=True):
        assert found.tolist() == np.flatnonzero((target == vector).all(axis=1))[:10].tolist()


def test_chunks_and_lengths_do_not_matter(monkeypatch):
    source, target = normal(2, (90, 12), (800, 12))
    whole = csls(source, target)
    monkeypatch.setattr(exact, "CHUNK", 1700)
    monkeypatch.setattr(exact, "PAIRS", 100)
    assert all(np.array_equal(a, b) for a, b in zip(whole, csls(source, target), strict=True))
    scaled = csls(source * 2.0**40, target * 2.0**-30)
    assert all(np.array_equal(a, b) for a, b in zip(whole, scaled, strict=True))


def test_means_once_computed_serve_both_directions_and_any_rows():
    source, target = (side.astype(np.float32) for side in normal(4, (90, 12), (70, 12)))
    r_source, r_target = means = mean_similarities(source, target, neighbours=7)
    assert (r_source.shape, r_target.shape) == ((90,), (70,))
    for x, y, both in ((source, target, means), (target, source, means[::-1])):
        for rows in (None, np.array([5, 60, 0])):
            alone, shared = (csls(x, y, rows, k=3, neighbours=7, means=m) for m in (None, both))
            assert [one.tobytes() for one in alone] == [one.tobytes() for one in shared]


def test_clear_errors():
    x, y = np.ones((3, 4)), np.ones((2, 5))
    with pytest.raises(ConfigError, match=r"\(3, 4\).*\(2, 5\)"):
        nearest(x, y)
    with pytest.raises(ConfigError, match="1 zero or non-finite vectors in target, the first in row 1"):
        csls(x, np.array([[1.0] * 4, [0.0] * 4]))
    for search in (lambda: nearest(x, x, k=0), lambda: csls(x, x, neighbours=0)):
        with pytest.raises(ConfigError, match="whole number from 1"):
            search()
    with pytest.raises(ConfigError, match="did you mean 'csls'"):
        RETRIEVALS["cslss"]


def test_small_problems_start_without_torch_or_the_compiler():
    program = (
        "import sys, numpy as np; from crosslingua.lexicon_induction.retrieval import csls; "
        "csls(np.eye(4), np.eye(4)); print([m for m in ('torch', 'numba', 'scipy') if m in sys.modules])"
    )
    assert subprocess.check_output([sys.executable, "-c", program], text=True).strip() == "[]"


@pytest.mark.parametrize(
    ("sources", "targets", "k"), [(1500, 700, 10), (700, 650, 3), (200, 700, 10), (1500, 700, 40)]
)
def test_one_product_finds_what_two_find(monkeypatch, sources, targets, k):
    """In blocks of 700 rows, with a low last one; few rows and many neighbours take two products."""
    monkeypatch.setattr(exact, "CHUNK", 700 * targets)
    source, target = map(unit_rows, normal(3, (sources, 4), (targets, 4)))
    source[5:40], target[7:30] = source[5], source[5]  # ties on both sides
    by_row, by_column = exact.top_both(source, target, k)
    cosines = (source[:, None].astype(np.float64) * target).sum(axis=2).astype(np.float32)
    assert np.array_equal(by_row, -np.sort(-cosines, axis=1)[:, :k])
    assert np.array_equal(by_column, -np.sort(-cosines.T, axis=1)[:, :k])


@pytest.mark.parametrize(
    ("queries", "candidates", "dimension", "k"),
    [(50, 1003, 20, 10), (30, 12, 8, 10), (40, 700, 50, 3), (7, 5, 4, 10)],
)
@pytest.mark.parametrize("with_bias", [False, True])
def test_the_exact_search(queries, candidates, dimension, k, with_bias):
    rng = np.random.default_rng(1)
    left, right = unit_rows(rng.normal(size=(queries, dimension))), rng.normal(size=(candidates, dimension))
    biases = [rng.random(queries), rng.random(candidates)]
    for repeated in (right, biases[1]):  # so that there are equal scores
        repeated[candidates // 2 :] = repeated[: candidates - candidates // 2]
    right = unit_rows(right)
    given = (left, right, k, biases if with_bias else None)
    for found, expected in zip(gpu.top(*given, device="cpu"), exact.top(*given), strict=True):
        np.testing.assert_array_equal(found, expected)


def test_more_groups_than_are_looked_into(monkeypatch):
    monkeypatch.setattr(gpu, "GROUPS", 1)
    left, noise = normal(2, (20, 10), (600, 10))
    left = unit_rows(left)
    right = unit_rows(left[:1] + 1e-3 * noise)  # all alike: nothing can be excluded
    for found, expected in zip(gpu.top(left, right, 3, device="cpu"), exact.top(left, right, 3), strict=True):
        np.testing.assert_array_equal(found, expected)


def test_a_device_is_cpu_or_cuda(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert [device_type(name) for name in ("cpu", "auto")] == ["cpu", "cpu"]
    with pytest.raises(ConfigError, match="torch finds no GPU"):
        device_type("cuda")


def best_cosines(queries, candidates, k, query_bias=None, candidate_bias=None):
    scores = cosines = (queries.astype(np.float64) @ candidates.astype(np.float64).T).astype(np.float32)
    if candidate_bias is not None:
        scores = (2 * cosines.astype(np.float64) - query_bias[:, None] - candidate_bias).astype(np.float32)
    order = np.argsort(-scores, axis=1, kind="stable")[:, :k]  # stable: ties by lower index
    return order, np.take_along_axis(scores, order, axis=1)


def cases():
    rng = np.random.default_rng(0)
    base = rng.normal(size=(1, 40))
    yield "normal", rng.normal(size=(1500, 40)), rng.normal(size=(4500, 40))
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
    for search in (exact.top, best_cosines):
        np.testing.assert_equal(bf16.top(source, target, K), search(source, target, K))
    both = bf16.top_both(source, target, K)
    assert np.array_equal(both[0], exact.top(source, target, K)[1])
    assert np.array_equal(both[1], exact.top(target, source, K)[1])
    assert np.array_equal(both[1], bf16.top(target, source, K)[1])
    r_target, r_source = (cosines.mean(axis=1, dtype=np.float64) for cosines in both)
    found = bf16.top(source, target, K, (r_target, r_source))
    np.testing.assert_equal(found, exact.top(source, target, K, (r_target, r_source)))
    np.testing.assert_equal(found, best_cosines(source, target, K, r_target, r_source))


def test_crowded_queries_are_given_up_and_still_right():
    base, source, crowd, others = normal(1, (1, 30), (5, 30), (600, 30), (50, 30))
    source, target = unit_rows(source), unit_rows(np.concatenate([base + 1e-5 * crowd, others]))
    left, right = bf16._side(source), bf16._side(target)
    found = bf16.Buffers(5, K, bf16._slack(left, right))
    for block, row, column in bf16._blocks(left, right):
        bf16.collect_rows(block, row, column, len(target), *found.arguments())
    assert (found.bars[:5] == bf16.GIVEN_UP).any()
    assert np.array_equal(bf16.top(source, target, K)[0], best_cosines(source, target, K)[0])


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
    source, target = map(unit_rows, normal(3, (700, 33), (900, 33)))
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
    source, target = normal(4, (150, 12), (260, 12))
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
