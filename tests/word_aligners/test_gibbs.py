"""gibbs on a cipher, on the public gold sets and on odd input; `test_sampling.py` has its distributions."""

import os

import numpy as np
import pytest

from crosslingua.corpora.datasets.readers.gold_alignment_archive import read
from crosslingua.word_aligners.gibbs import Gibbs
from crosslingua.word_aligners.scoring import score


@pytest.fixture(scope="module")
def cipher():
    """500 sentences of 80 words by Zipf's law, each word spelled otherwise, in reversed order; and the links."""
    rng = np.random.default_rng(3)
    share = 1 / np.arange(1, 81)
    sentences = [rng.choice(80, n, p=share / share.sum()) for n in rng.integers(3, 12, 500)]
    pairs = [([f"s{word}" for word in one], [f"t{word}" for word in one[::-1]]) for one in sentences]
    return pairs, [{(len(one) - 1 - j, j) for j in range(len(one))} for one in sentences]


def test_a_cipher_is_read(cipher):
    pairs, gold = cipher
    links = list(Gibbs().align(pairs))
    wrong = sum(len(one ^ other) for one, other in zip(links, gold, strict=True))
    assert wrong < 0.01 * sum(map(len, gold))


def test_seed_settles_the_links_and_threads_do_not(cipher, monkeypatch):
    pairs, runs = cipher[0][:100], {}
    for seed, threads in ((1, "1"), (1, "2"), (2, "1")):
        monkeypatch.setitem(os.environ, "OMP_NUM_THREADS", threads)
        runs[seed, threads] = list(Gibbs(seed=seed, passes=2).align(pairs))
    assert runs[1, "1"] == runs[1, "2"] != runs[2, "1"]


def test_training_text_teaches_and_yields_no_links(cipher):
    for target, links in ((["t0", "t1"], {(0, 0), (1, 1)}), (["t1", "t0"], {(0, 1), (1, 0)})):
        assert list(Gibbs().align([(["s0", "s1"], target)], training=cipher[0])) == [links]


def test_empty_sides_have_no_links():
    pairs = [(["a"], ["x"]), ([], ["x"]), (["a"], []), ([], [])]
    assert list(Gibbs().align(pairs)) == [{(0, 0)}, set(), set(), set()]
    assert list(Gibbs().align([([], ["x"])])) == [set()]
    assert list(Gibbs(null_probability=0.0).align(pairs[:1])) == [{(0, 0)}]


# eflomal 2.0, mean of three runs; Dyer et al.'s fast_align has 49.3, 29.9, 77.6 and 51.6.
EFLOMAL = {"de-en": 37.9, "en-fr": 17.7, "en-hi": 64.7, "ro-en": 41.4}


@pytest.mark.parametrize("pair", EFLOMAL)
def test_error_rates_are_within_a_point_of_eflomals(mirror, pair):
    sentences, gold = read(mirror / "word-alignments" / "alignment-test-sets.tar.gz", pair)
    pairs = [(source.split(), target.split()) for source, target in sentences]
    found = [score(gold, Gibbs(seed=seed).align(pairs), samples=0)["aer"] for seed in (1, 2, 3)]
    assert np.mean(found) < EFLOMAL[pair] + 1
