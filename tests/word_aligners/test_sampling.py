"""The samplers against an exact posterior; gibbs on a cipher and on the public gold sets."""

import os
from collections import Counter
from itertools import pairwise, product
from math import exp, lgamma, log

import numpy as np
import pytest

from crosslingua.corpora.datasets.readers.gold_alignment_archive import read
from crosslingua.word_aligners.cooccurrence import count_cooccurrence
from crosslingua.word_aligners.gibbs import Gibbs
from crosslingua.word_aligners.sampling import FERTILITIES, LinkSampler
from crosslingua.word_aligners.scoring import score

# Repeated words on both sides, in a sentence and across sentences, and a sentence that a null word may empty.
TEXT = [(["a", "b", "a"], ["x", "y", "x"]), (["b", "c"], ["y", "z"]), (["a"], ["x"])]
SETTINGS = Gibbs(alpha=0.3, jump_alpha=0.5, fertility_alpha=0.4, null_probability=0.2)


def urn(counts, prior, kinds):
    """Return the log probability of draws with parameters integrated out (Dirichlet and multinomial)."""
    drawn = sum(lgamma(prior + count) - lgamma(prior) for count in counts.values())
    return lgamma(prior * kinds) - lgamma(prior * kinds + sum(counts.values())) + drawn


def log_joint(text, alignment, jumps, fertility):
    """Return log p(generated words, alignment); `alignment` has a position, or -1, for each word of each sentence."""
    vocabulary = len({word for _, words in text for word in words})
    longest = max(len(given) for given, _ in text)
    translations, lengths, linked, total = {}, [], {}, 0.0
    for (given, words), links in zip(text, alignment, strict=True):
        for word, link in zip(words, links, strict=True):
            translations.setdefault(given[link] if link >= 0 else None, []).append(word)
            total += log(SETTINGS.null_probability if link < 0 else 1 - SETTINGS.null_probability)
            total -= log(len(given)) if link >= 0 and not jumps else 0
        places = [-1, *(link for link in links if link >= 0), len(given)]
        lengths += [after - before for before, after in pairwise(places)]
        for i, word in enumerate(given):
            linked.setdefault(word, []).append(min(links.count(i), FERTILITIES - 1))
    total += sum(urn(Counter(words), SETTINGS.alpha, vocabulary) for words in translations.values())
    if jumps:
        total += urn(Counter(lengths), SETTINGS.jump_alpha, 2 * (longest + 1) + 1)
    if fertility:
        total += sum(urn(Counter(n), SETTINGS.fertility_alpha, FERTILITIES) for n in linked.values())
    return total


def exact(text, jumps, fertility):
    """Return the posterior of each word's link, the null word last, for each sentence."""
    sentences = [list(product(range(-1, len(given)), repeat=len(words))) for given, words in text]
    grids = [np.zeros((len(words), len(given) + 1)) for given, words in text]
    for alignment in product(*sentences):
        weight = exp(log_joint(text, alignment, jumps, fertility))
        for grid, links in zip(grids, alignment, strict=True):
            for j, link in enumerate(links):
                grid[j, link] += weight  # -1 is the last column
    return [grid / grid.sum(axis=1, keepdims=True) for grid in grids]


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize(("jumps", "fertility"), [(False, False), (True, False), (True, True)],
                         ids=["model 1", "HMM", "fertility"])  # fmt: skip
def test_long_runs_have_the_exact_posterior(jumps, fertility, reverse):
    text = [(target, source) if reverse else (source, target) for source, target in TEXT]
    sampler = LinkSampler(count_cooccurrence(TEXT), reverse, len(TEXT), SETTINGS)
    sampler.sweep(200, jumps=jumps, fertility=fertility)
    sampler.sweep(50_000, jumps=jumps, fertility=fertility, collect=True)
    for pair, expected in enumerate(exact(text, jumps, fertility)):
        np.testing.assert_allclose(sampler.marginals(pair), expected, atol=0.01)


def test_counts_are_those_of_the_links():
    """After many changes of one link at a time."""
    rng = np.random.default_rng(0)
    words = [f"w{i}" for i in range(30)]
    pairs = [([*rng.choice(words, n)], [*rng.choice(words, 3 + n // 2)]) for n in rng.integers(1, 20, 50)]
    text = count_cooccurrence(pairs)
    sampler = LinkSampler(text, False, 0, SETTINGS)
    sampler.sweep(2)
    sampler.sweep(20, jumps=True)
    sampler.sweep(20, jumps=True, fertility=True)
    state = sampler._state
    names = ("jumps", "jump_total", "fertilities", "jump_weights")
    kept = {name: getattr(state, name).copy() for name in names}
    sampler.sweep(0, jumps=True)  # counts anew
    for name, before in kept.items():
        np.testing.assert_array_equal(getattr(state, name), before, err_msg=name)
    links = state.links.reshape(-1, 4)
    pair = np.repeat(np.arange(len(pairs)), text.target.lengths)
    for s in range(4):
        linked = links[:, s] >= 0
        at = text.source.bounds[pair] + links[:, s]
        given = np.bincount(text.source.words[at[linked]], minlength=text.source.vocabulary)
        np.testing.assert_array_equal(state.given[s::4], given)
        null = np.bincount(text.target.words[~linked], minlength=text.target.vocabulary)
        np.testing.assert_array_equal(state.null[s::4], null)
        assert state.pairs[s::4].sum() == linked.sum()


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


def test_entries_are_the_distinct_pairs_in_order_of_appearance():
    rng = np.random.default_rng(1)
    drawn = [(rng.integers(0, 400, rng.integers(0, 20)), rng.integers(0, 400, 9)) for _ in range(300)]
    pairs = [([f"s{k}" for k in one], [f"t{k}" for k in other]) for one, other in drawn]
    numbers, wanted = {}, []
    for source, target in pairs:
        wanted += [numbers.setdefault((left, right), len(numbers)) for left in source for right in target]
    found = count_cooccurrence(pairs)
    assert len(numbers) > 3 * 2**11  # the table grew more than once
    assert found.entries.tolist() == wanted
    assert found.starts.tolist() == np.cumsum([0, *(len(s) * len(t) for s, t in pairs)])[:-1].tolist()
    full = [pair for pair in pairs if all(pair)]
    assert len(full) < len(pairs)
    words = [list(dict.fromkeys(word for pair in full for word in pair[side])) for side in (0, 1)]
    assert [(words[0][s], words[1][t]) for s, t in found.types.T] == list(numbers)


@pytest.mark.parametrize(
    ("pairs", "words", "passes"), [(1, 100, 800), (1, 1000, 80), (4, 400, 100), (4, 20, 400)]
)
def test_a_text_of_long_lines_has_fewer_passes(monkeypatch, pairs, words, passes):
    """10,000 cells count as a pair, and passes are 800 over the root of the number of pairs, half of them of jumps."""
    swept = []
    monkeypatch.setattr(LinkSampler, "sweep", lambda self, passes, **how: swept.append(passes))
    line = [str(number) for number in range(words)]
    list(Gibbs().align([(line, line)] * pairs))
    assert swept[:4] == [1, passes // 4, passes // 2, passes]
