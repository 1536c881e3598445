"""Refinement, induction of seed pairs, neighbours, and settings chosen on held-out pairs."""

import numpy as np
import pytest
import torch

from crosslingua.errors import ConfigError
from crosslingua.io.vectors import WordVectors
from crosslingua.lexicon_induction.choice import answered, candidates, parse_grid
from crosslingua.lexicon_induction.degenerate import is_degenerate
from crosslingua.lexicon_induction.retrieval import csls
from crosslingua.mappers import MAPPERS, induction, neighbours
from crosslingua.mappers.induction import below, draw, induce, induce_on_gpu
from crosslingua.mappers.mapper import build
from crosslingua.mappers.neighbours import MovingNeighbours, largest
from crosslingua.mappers.procrustes import Procrustes
from crosslingua.mappers.refinement import UnmappedSpace, choose_mapper, index_pairs, refine
from mappers.worlds import rotated, unit

N, D = 120, 10
PAIRS = [(f"s{i}", f"t{i}") for i in range(N)]
DICTIONARY = PAIRS[:100]


@pytest.fixture(scope="module")
def world():
    return rotated()


def spaces(world, shared=0):
    """Source words s0.., target words t0.. where t<i> translates s<i>; before them `shared` words of both."""
    number = len(world.source)
    names = {int(row): f"t{i}" for i, row in enumerate(world.permutation)}
    source = WordVectors([f"s{i}" for i in range(number)], world.source.copy())
    target = WordVectors([names[row] for row in range(number)], world.target.copy())
    common = np.random.default_rng(5).standard_normal((shared, world.source.shape[1])).astype(np.float32)
    words = [f"both{i}" for i in range(shared)]
    both = (WordVectors([*words, *v.words], np.vstack([common, v.matrix])) for v in (source, target))
    return (*both, words)


def test_without_shared_words_all_move(world):
    source, target, _ = spaces(world)
    aligned = refine(Procrustes(), source, target, [*DICTIONARY, ("s0", "absent"), ("absent", "absent")])
    for i in (0, 150, 399):
        np.testing.assert_allclose(aligned.source[f"s{i}"], aligned.target[f"t{i}"], atol=1e-5)
    assert aligned.source.words == source.words
    assert aligned.details["dictionary"] == {
        "pairs": 102, "used": 100, "source_out_of_vocabulary": 1, "target_out_of_vocabulary": 2,
    }  # fmt: skip


def test_shared_words_and_the_target_stay_to_the_bit(world):
    source, target, words = spaces(world, shared=30)
    # The first pair is of shared words, which the fit must not see.
    aligned = refine(Procrustes(), source, target, [("both0", "t3"), *DICTIONARY], shared=words)
    assert aligned.target.matrix.tobytes() == target.matrix.tobytes()
    assert aligned.source.matrix[:30].tobytes() == source.matrix[:30].tobytes()
    np.testing.assert_allclose(aligned.source["s333"], target["t333"], atol=1e-5)
    counts, shared = aligned.details["dictionary"], aligned.details["shared_words"]
    assert (counts["used"], counts["source_out_of_vocabulary"], shared) == (100, 1, 30)


def test_no_usable_pair_is_refused_or_called_degenerate(world):
    source, target, words = spaces(world, shared=5)
    message = r"none of the 2 dictionary pairs .*\(400 source and 400 target words; 2 source"
    with pytest.raises(ConfigError, match=message):
        refine(Procrustes(), source, target, [("S0", "t0"), ("both1", "T1")], shared=words)
    # Where a pair is of shared words, the dictionary teaches no map, and the cell is called so.
    aligned = refine(Procrustes(), source, target, [("S0", "t0"), ("both1", "t1")], shared=words)
    assert aligned.source.matrix is source.matrix
    assert aligned.target.matrix is target.matrix
    assert is_degenerate(aligned.details)
    assert aligned.details["dictionary"] == {"pairs": 2, "used": 0}


def test_wrong_shared_words_and_no_dictionary_or_a_turned_one_are_refused(world):
    source, target, _ = spaces(world)
    with pytest.raises(ConfigError, match="--dictionary"):
        refine(Procrustes(), source, target)
    with pytest.raises(ConfigError, match="1 shared words have no target vector"):
        refine(Procrustes(), source, target, DICTIONARY, shared=["s4"])
    with pytest.raises(ConfigError, match="nothing to align"):
        refine(Procrustes(), source, source, DICTIONARY, shared=source.words)
    source, target, _ = spaces(world, shared=5)
    turned = [*((t, s) for s, t in DICTIONARY), *((f"both{i}", f"both{i}") for i in range(5))]
    with pytest.raises(ConfigError, match=r"wrong way round: 5 of its 105 pairs .*, but 10[0-9] with target"):
        refine(Procrustes(), source, target, turned)


def test_index_pairs_by_hand():
    rows, counts = index_pairs([("a", "x"), ("a", "y"), ("b", "z")], {"a": 0, "b": 1}, {"y": 4, "x": 2})
    assert rows.tolist() == [[0, 2], [0, 4]]
    assert counts == {"pairs": 3, "used": 2, "source_out_of_vocabulary": 0, "target_out_of_vocabulary": 1}


@pytest.fixture(scope="module")
def sides():
    world = rotated(words=700, noise=0.5)
    return unit(world.source @ world.rotation), unit(world.target[:650])


def test_nothing_dropped_is_csls_in_both_directions(sides):
    source, target = sides
    forward, backward = csls(source, target, k=1)[0][:, 0], csls(target, source, k=1)[0][:, 0]
    expected = [*zip(range(700), forward, strict=True), *zip(backward, range(650), strict=True)]
    pairs, objective = induce(source, target, 10)
    assert [tuple(pair) for pair in pairs.tolist()] == expected
    cosines = [np.mean([source[i] @ target[j] for i, j in part]) for part in (expected[:700], expected[700:])]
    assert objective == pytest.approx(np.mean(cosines), abs=1e-6)


def test_a_word_keeps_its_best_translation_with_the_given_probability(sides):
    best, _ = induce(*sides, 10)
    found = [induce(*sides, 10, 0.3, (seed,))[0] for seed in range(8)]
    kept = np.mean([np.mean(pairs[:700] == best[:700]) for pairs in found])
    # The share of equal second columns; the first columns are always equal.
    assert 2 * kept - 1 == pytest.approx(0.3, abs=4 * np.sqrt(0.3 * 0.7 / 5600))


def test_dropping_depends_on_the_key_alone_and_spares_the_objective(sides):
    one, again, other = (induce(*sides, 10, 0.2, key) for key in ((1, 0), (1, 0), (1, 1)))
    assert one[0].tolist() == again[0].tolist() != other[0].tolist()
    assert one[1] == other[1] == induce(*sides, 10)[1]


def test_number_of_workers_does_not_matter(sides, monkeypatch):
    results = []
    for workers in ("1", "3"):
        monkeypatch.setenv("OMP_NUM_THREADS", workers)
        pairs, objective = induce(*sides, 10, 0.5, (3,))
        results.append((pairs.tobytes(), objective))
    assert results[0] == results[1]


def test_draws_are_those_of_splitmix64() -> None:
    """The outputs that Rosetta Code lists for the seed 1234567."""
    expected = [6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431]
    assert [int(draw(np.uint64(1234567), np.uint64(i))) for i in range(4)] == expected


def splitmix64(seed: np.uint64, numbers: np.ndarray) -> np.ndarray:
    with np.errstate(over="ignore"):
        mixed = seed + (numbers.astype(np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
        for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
            mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(factor)
    return mixed ^ (mixed >> np.uint64(31))


@pytest.mark.parametrize("keep", [1.0, 0.4, 0.002])
def test_compiled_loops_give_the_bits_of_whole_matrices(sides, keep):
    """The same in numpy: sort whole rows, mask with the same draws, take the first of the largest."""
    source, target = sides
    similarities = np.concatenate([source[i : i + 512] @ target.T for i in (0, 512)])
    parts = []
    for turn, matrix in enumerate((similarities, np.ascontiguousarray(similarities.T))):
        hubness = np.ascontiguousarray(-np.sort(-matrix.T, axis=1)[:, :10]).mean(axis=1)
        scores = matrix - hubness / 2
        if keep < 1:
            seed = np.random.SeedSequence([7, turn]).generate_state(1, np.uint64)[0]
            draws = splitmix64(seed, np.arange(matrix.size)).reshape(matrix.shape)
            scores[draws >= np.uint64(int(keep * 2**64))] = -np.inf
        parts.append([int(row.argmax()) if row.max() > -np.inf else -1 for row in scores])
    expected = [(i, j) for i, j in enumerate(parts[0]) if j >= 0]
    expected += [(i, j) for j, i in enumerate(parts[1]) if i >= 0]
    assert [tuple(pair) for pair in induce(source, target, 10, keep, (7,))[0].tolist()] == expected


@pytest.mark.parametrize("key", [0, 5, 2**63 + 12345, 2**64 - 1])
def test_a_gpu_draws_what_the_processor_draws(key: int):
    numbers = np.concatenate([np.arange(500), np.random.default_rng(0).integers(0, 2**40, 500)])
    for keep in (1e-9, 0.1, 0.5, 0.9):
        limit = int(keep * 2**64)
        expected = [draw(np.uint64(key), np.uint64(n)) < np.uint64(limit) for n in numbers]
        assert below(key, torch.from_numpy(numbers), limit).tolist() == expected


@pytest.mark.parametrize("keep", [1.0, 0.3, 1e-3, 1e-9])
def test_a_gpu_induces_the_same_dictionary_whatever_its_blocks(monkeypatch, keep: float):
    rng = np.random.default_rng(1)
    sides = [unit(rng.normal(size=(n, 20)).astype(np.float32)) for n in (300, 200)]
    expected, objective = induce(*sides, 10, keep, (3, 1))
    for size in (induction.ON_GPU, 1000):
        monkeypatch.setattr(induction, "ON_GPU", size)
        pairs, found = induce_on_gpu(*map(torch.from_numpy, sides), 10, keep, (3, 1))
        assert pairs.tolist() == expected.tolist()
        assert found == pytest.approx(objective, abs=1e-6)


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


def turned(offset: float = 0.0) -> UnmappedSpace:
    """Two languages that differ by a rotation, and by an offset of the target that centring takes away."""
    random = np.random.default_rng(3)
    source = random.normal(size=(N, D)).astype(np.float32)
    rotation, _ = np.linalg.qr(random.normal(size=(D, D)))
    target = (source @ rotation + offset * random.normal(size=D)).astype(np.float32)
    return UnmappedSpace(*map(WordVectors, map(list, zip(*PAIRS, strict=True)), (source, target)))


def tried(mapper: str, *grid: str):
    return candidates({}, parse_grid(grid), lambda settings: build(mapper, settings))


def test_centring_is_chosen_where_a_space_is_offset() -> None:
    grid = tried("procrustes", "normalise=none|unit,centre,unit")
    choice = choose_mapper("procrustes", grid, [turned(offset=4.0)], PAIRS[:60], PAIRS[60:])
    assert choice.settings == {"normalise": "unit,centre,unit"}
    (_, published), (_, centred) = choice.scores
    assert published < centred
    assert choice.record()["queries"] == 60
    aligned = turned(offset=4.0)
    assert answered(aligned.source, aligned.target, PAIRS[60:]).hits.keys() == {s for s, _ in PAIRS[60:]}


def test_what_is_published_stays_where_nothing_is_better() -> None:
    grid = tried("procrustes", "normalise=unit,centre,unit|none")
    choice = choose_mapper("procrustes", grid, [turned(), turned()], PAIRS[:60], PAIRS[60:])
    assert choice.settings == {}


def test_a_grid_is_a_product_without_what_is_said_twice() -> None:
    grid = tried("rcsls", "lr=1|25", "niter=10|20")  # lr 1 and niter 10 are the defaults
    assert grid == [{}, {"lr": "1", "niter": "20"}, {"lr": "25", "niter": "10"}, {"lr": "25", "niter": "20"}]
    with pytest.raises(ConfigError, match="--search lr: write name=value"):
        parse_grid(["lr"])


def test_what_trains_does_not_choose() -> None:
    with pytest.raises(ConfigError, match=r"1 words both train and select, e\.g\. s5"):
        choose_mapper("procrustes", tried("procrustes", "normalise=none"), [turned()], PAIRS[:6], PAIRS[5:])


@pytest.mark.parametrize("name", [name for name in MAPPERS if MAPPERS.member(name).grid])
def test_every_grid_is_of_settings_that_the_mapper_has_and_holds_the_published_ones(name: str) -> None:
    grid = MAPPERS.member(name).grid
    published = build(name)
    for setting, values in grid.items():
        made = [build(name, {setting: str(value)}) for value in values]
        assert len(set(map(repr, made))) == len(values)
        assert published in made
