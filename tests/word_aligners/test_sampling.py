"""The samplers against the exact posterior of a text so small that all its alignments can be listed."""

from collections import Counter
from itertools import pairwise, product
from math import exp, lgamma, log

import numpy as np
import pytest

from crosslingua.word_aligners.cooccurrence import count_cooccurrence
from crosslingua.word_aligners.gibbs import Gibbs
from crosslingua.word_aligners.sampling import FERTILITIES, LinkSampler

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
@pytest.mark.parametrize(
    ("jumps", "fertility"), [(False, False), (True, False), (True, True)], ids=["model 1", "HMM", "fertility"]
)
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
