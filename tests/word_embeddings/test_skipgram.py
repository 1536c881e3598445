"""The skip-gram kernel against a plain loop over the same pairs, and against what fastText learns of the same text."""

from itertools import pairwise
from pathlib import Path

import fasttext
import numpy as np
import pytest

from crosslingua.io.vectors import WordVectors, write_vectors
from crosslingua.word_embeddings import draws, skipgram
from crosslingua.word_embeddings.subwords import subwords_of
from texts import written

DIM, WORDS = 7, 9
SETTINGS = {"passes": 1, "window": 1, "negative": 2, "sample": 1e9, "seed": 3}  # a window of 1 has one size


# Each word has a row of its own; then some have more: rows of other words, and one row twice.
SUBWORDS = {
    "whole words": [[word] for word in range(WORDS)],
    "subwords": [[0], [1, 9], [2, 9, 10], [3, 11, 11], [4, 10, 12, 12], [5], [6, 9], [7, 10, 11], [8, 12]],
}


@pytest.fixture
def text() -> tuple[np.ndarray, np.ndarray]:
    """Word numbers of sentences, a sentence of one word among them, and the sentences' bounds."""
    return np.random.default_rng(0).integers(0, WORDS, 17).astype(np.int32), np.array([0, 5, 6, 14, 17])


def as_arrays(lists: list[list[int]]) -> tuple[np.ndarray, np.ndarray]:
    return np.cumsum([0, *map(len, lists)]), np.concatenate(lists)


def plain(text, subwords, v, noise, *, lr, passes, negative):
    """Skip-gram with a window of one word, as the module states it, in double precision."""
    (tokens, bounds), v, u, place, done = text, v.astype(float), np.zeros((WORDS, DIM)), 0, 0
    for _ in range(passes):
        for first, last in pairwise(bounds):
            rate, sentence = lr * (1 - done / (passes * len(tokens))), tokens[first:last]
            done += last - first
            for centre in range(last - first):
                for other in (centre - 1, centre + 1):
                    if not 0 <= other < last - first:
                        continue
                    own, step = subwords[sentence[centre]], np.zeros(DIM)
                    h = v[own].mean(axis=0)
                    drawn = [noise[(place + k) % len(noise)] for k in range(negative)]
                    place += negative
                    words = [(sentence[other], 1), *((n, 0) for n in drawn if n != sentence[other])]
                    for word, label in words:
                        probability = 1 / (1 + np.exp(-u[word] @ h))
                        step += rate * (label - probability) * u[word]
                        u[word] += rate * (label - probability) * h
                    for row in own:
                        v[row] += step
    return np.array([v[own].mean(axis=0) for own in subwords]), u


@pytest.mark.parametrize("passes", [1, 3])
@pytest.mark.parametrize("subwords", SUBWORDS.values(), ids=SUBWORDS)
def test_the_kernel_takes_the_steps_of_a_plain_loop(text, subwords, passes) -> None:
    counts = np.bincount(text[0], minlength=WORDS) + 1
    start = np.random.default_rng(1).normal(size=(max(map(max, subwords)) + 1, DIM)).astype(np.float32)
    rng = np.random.default_rng(SETTINGS["seed"])
    noise = draws.noise_table(counts, skipgram.NOISE_POWER)
    draws.random_state(rng)
    rng.shuffle(noise)
    settings = SETTINGS | {"passes": passes, "lr": 0.3}
    v, u = skipgram.learn(*text, counts, start, as_arrays(subwords), **settings)
    expected = plain(text, subwords, start, noise, lr=0.3, passes=passes, negative=2)
    before = np.array([start[own].mean(axis=0) for own in subwords]), 0
    for found, right, old in zip((v, u), expected, before, strict=True):
        np.testing.assert_allclose(found, right, atol=0.01)  # the table of sigma has steps of 1/64
        assert np.abs(right - old).max() > 0.1


def test_subsampling_keeps_the_stated_share() -> None:
    state, keep = draws.random_state(np.random.default_rng(1)), np.array([0.2, 1.5])
    kept = np.empty(80_000, dtype=np.int64)
    size = draws.keep_words(np.tile([0, 1], 40_000), keep, state, kept)
    counts = np.bincount(kept[:size])
    assert counts[1] == 40_000
    assert counts[0] == pytest.approx(8000, abs=4 * np.sqrt(40_000 * 0.2 * 0.8))


def test_random_draws_are_uniform():
    state = np.array([12345], dtype=np.uint64)
    whole = np.array([draws.below(state, 7) for _ in range(70_000)])
    np.testing.assert_allclose(np.bincount(whole, minlength=7) / 70_000, 1 / 7, atol=0.006)
    numbers = np.array([draws.uniform(state) for _ in range(20_000)])
    assert 0 <= numbers.min() < numbers.max() < 1
    assert numbers.mean() == pytest.approx(0.5, abs=0.01)
    assert abs(np.corrcoef(numbers[1:], numbers[:-1])[0, 1]) < 0.03


def test_noise_and_subsampling_follow_word2vec():
    counts = np.array([1000, 100, 10, 1])
    share = np.bincount(draws.noise_table(counts, 0.75), minlength=4) / draws.NOISE_TABLE
    np.testing.assert_allclose(share, counts**0.75 / (counts**0.75).sum(), atol=2e-6)
    # word2vec.c: (sqrt(c / (s N)) + 1) * s N / c
    expected = (np.sqrt(counts / (1e-3 * 1111)) + 1) * (1e-3 * 1111) / counts
    np.testing.assert_allclose(draws.keep_probability(counts, 1e-3), expected)


def test_scores_beyond_the_table_stop_learning_and_stay_finite(text) -> None:
    start = 1e4 * np.random.default_rng(1).normal(size=(WORDS, DIM))
    whole = as_arrays(SUBWORDS["whole words"])
    for vectors in skipgram.learn(*text, np.ones(WORDS), start, whole, lr=0.05, **SETTINGS):
        assert np.isfinite(vectors).all()


@pytest.mark.parametrize("largest", [0, 4])
def test_the_loss_is_that_of_fasttext(tmp_path: Path, largest: int) -> None:
    """Words of four topics: both programs explain held-out neighbours equally well."""
    rng = np.random.default_rng(2)
    lines = [" ".join(f"t{topic}w{i}" for i in rng.zipf(1.6, 12) % 40) for topic in rng.integers(0, 4, 3000)]
    path = written(tmp_path / "text", "\n".join(lines[:2500]) + "\n")
    words = sorted({word for line in lines for word in line.split()} | {"</s>"})
    drawn = rng.uniform(-1 / 16, 1 / 16, (len(words), 16)).astype(np.float32)
    write_vectors(tmp_path / "start.vec", WordVectors(words, drawn))  # fastText leaves some undrawn
    model = fasttext.train_unsupervised(
        str(path), dim=16, epoch=5, minCount=1, minn=2, maxn=largest, bucket=2**20, t=1.0, thread=1, verbose=0,
        pretrainedVectors=str(tmp_path / "start.vec"),
    )  # fmt: skip
    number = {word: place for place, word in enumerate(model.words)}
    known = [line.split() for line in lines if set(line.split()) <= {*number}]
    numbers = [[number[word] for word in [*line, "</s>"]] for line in known]
    bounds, tokens = as_arrays(numbers[:2400])
    counts = np.bincount(tokens, minlength=len(number))
    starts, rows, size = subwords_of(model.words, 2, largest, 2**20)
    start = rng.uniform(-1 / 16, 1 / 16, (size, 16))
    settings = {"passes": 5, "lr": 0.05, "window": 5, "negative": 5, "sample": 1.0, "seed": 1}
    own = skipgram.learn(tokens.astype(np.int32), bounds, counts, start, (starts, rows), **settings)

    def loss(v, u) -> float:
        pairs = np.array([pair for line in numbers[2400:] for pair in pairwise(line)])
        noise = np.random.default_rng(3).choice(
            len(number), len(pairs), p=np.sqrt(counts) / np.sqrt(counts).sum()
        )
        right, wrong = ((v[pairs[:, 0]] * u[words]).sum(axis=1) for words in (pairs[:, 1], noise))
        return float(np.logaddexp(0, -right).mean() + 5 * np.logaddexp(0, wrong).mean())

    theirs = loss(np.array([model[word] for word in model.words]), model.get_output_matrix())
    untrained = 6 * np.log(2)
    assert loss(*own) < untrained - 0.5
    assert loss(*own) == pytest.approx(theirs, rel=0.01)
