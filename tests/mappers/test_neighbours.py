import numpy as np
import pytest

from crosslingua.mappers import neighbours
from crosslingua.mappers.neighbours import MovingNeighbours, largest


def sorted_in_full(queries, keys, k):
    keys = keys.astype(np.float64)
    return [np.argsort(-(keys @ row.astype(np.float64)), kind="stable")[:k] for row in queries]


def scattered(rng, count, dimension=5):
    lengths = rng.uniform(0.1, 4, (count, 1))
    return (rng.standard_normal((count, dimension)) * lengths + 0.5).astype(np.float32)


@pytest.mark.parametrize(("keys", "k"), [(7, 7), (30, 4), (500, 3), (1003, 10)])
def test_wherever_queries_move_they_have_the_neighbours_of_a_full_sort(keys, k):
    rng = np.random.default_rng(keys)
    m, queries = scattered(rng, keys), scattered(rng, 40)
    search = MovingNeighbours(m, k)
    for step in (0, 0.01, 0.3, 10, 0.01):
        queries = queries * rng.uniform(0.5, 2) + step * rng.standard_normal(queries.shape)
        queries = queries.astype(np.float32)
        np.testing.assert_array_equal(search.nearest(queries), sorted_in_full(queries, m, k))


def test_a_query_turned_round_and_one_without_length():
    rng = np.random.default_rng(1)
    m, queries = scattered(rng, 300), scattered(rng, 9)
    search = MovingNeighbours(m, 3)
    search.nearest(queries)
    turned = np.concatenate([-queries[:8], np.zeros((1, 5), dtype=np.float32)])
    np.testing.assert_array_equal(search.nearest(turned), sorted_in_full(turned, m, 3))
    np.testing.assert_array_equal(search.nearest(queries), sorted_in_full(queries, m, 3))


def test_small_moves_search_among_few_keys(monkeypatch):
    """The control that must fail: where nothing is kept besides, every move searches among all keys."""
    rng = np.random.default_rng(2)
    m, queries = scattered(rng, 2000, 20), scattered(rng, 50, 20)

    def searched(kept):
        monkeypatch.setattr(neighbours, "KEPT", kept)
        search, rows = MovingNeighbours(m, 5), []
        whole = search._search
        search._search = lambda q, lost: (rows.append(len(lost)), whole(q, lost))
        for _ in range(3):
            search.nearest(queries)
            queries[:] += 1e-3 * rng.standard_normal(queries.shape)
        return rows

    assert searched(12) == [50, 0, 0]
    assert sum(searched(1)[1:]) > 0


def test_among_equals_the_lower_column_is_taken():
    products = np.zeros((2, 400), dtype=np.float32)
    products[1, [390, 17, 250]] = 1
    np.testing.assert_array_equal(largest(products, 2), [[0, 1], [17, 250]])


def test_blocks_and_workers_do_not_matter(monkeypatch):
    rng = np.random.default_rng(0)
    q, m = scattered(rng, 3000, 6), scattered(rng, 300, 6)
    results = []
    for workers in ("1", "3"):
        monkeypatch.setenv("OMP_NUM_THREADS", workers)
        search = MovingNeighbours(m, 5)
        results.append(search.nearest(q).tobytes() + search.nearest(q + np.float32(0.1)).tobytes())
    assert results[0] == results[1]
