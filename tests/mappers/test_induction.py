import numpy as np
import pytest
import torch

from crosslingua.lexicon_induction.retrieval import csls
from crosslingua.mappers import induction
from crosslingua.mappers.induction import below, draw, induce, induce_on_gpu
from mappers.worlds import rotated, unit


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


def test_words_without_any_cell_left_get_no_pair():
    eye = np.eye(4, dtype=np.float32)
    assert len(induce(eye, eye, 2, 1e-9)[0]) == 0


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
