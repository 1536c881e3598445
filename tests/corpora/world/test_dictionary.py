"""Bilingual dictionaries, held against gold word alignments and text."""

from collections import Counter, defaultdict
from itertools import islice

import numpy as np
import pytest

from crosslingua.corpora.world.bitext import bitext_blocks
from crosslingua.corpora.world.text import make_dictionary, same_surface, word_counts

PAIRS = [("ana", "ber"), ("ana", "cor"), ("ana", "dax"), ("dax", "ana"), ("eno", "ber")]


def all_pairs(dictionary):
    return [*dictionary.train, *dictionary.valid, *dictionary.test]


@pytest.mark.parametrize(("source", "target"), PAIRS)
def test_splits_are_sized_disjoint_and_by_frequency(world, source, target):
    dictionary = make_dictionary(world, source, target)
    words = [
        list(dict.fromkeys(s for s, _ in part))
        for part in (dictionary.train, dictionary.valid, dictionary.test)
    ]
    assert len(words[0]) >= 700
    assert len(words[2]) >= 300
    assert len({word for part in words for word in part}) == sum(map(len, words))
    counts, known = word_counts(world, source), word_counts(world, target)
    assert min(counts[w] for w in words[0]) >= max(counts[w] for w in [*words[1], *words[2]])
    assert all(counts[s] >= 5 and known[t] >= 5 for s, t in all_pairs(dictionary))
    assert len(set(all_pairs(dictionary))) == len(all_pairs(dictionary))


@pytest.mark.parametrize(("source", "target"), PAIRS[:3])
def test_words_are_linked_to_their_dictionary_translations(world, source, target):
    """The dictionary comes from the lexicons, the links from sentences: they must agree."""
    linked = defaultdict(Counter)
    for block in islice(bitext_blocks(world, source, target, 12_000), 6):
        for ours, theirs, links in zip(*(part.splitlines() for part in block), strict=True):
            x, y = ours.split(" "), theirs.split(" ")
            for link in links.split(" "):
                if "-" in link:
                    i, j = map(int, link.split("-"))
                    linked[x[i]][y[j]] += 1
    translations = defaultdict(set)
    for s, t in all_pairs(make_dictionary(world, source, target)):
        translations[s].add(t)
    common = [word for word in translations if linked[word].total() >= 10]
    known = [linked[w].most_common(1)[0][0] in translations[w] for w in common]
    assert len(common) > 500
    assert np.mean(known) > 0.9
    seen = [bool(linked[w][t]) for w in common for t in translations[w]]
    assert np.mean(seen) > 0.7  # all but rare synonyms and cases


def test_fewer_trainable_words_leave_more_to_tests_of_the_same_dictionary(world):
    usual, more = (make_dictionary(world, "ana", "ber", share=0.1, trainable=part) for part in (0.62, 0.25))
    assert more.train == usual.train
    assert set(usual.test) | set(usual.valid) < set(more.test) | set(more.valid)
    words = [len({s for s, _ in part.test}) for part in (usual, more)]
    assert words[1] / words[0] == pytest.approx(0.75 / 0.38, rel=0.01)
    assert not {s for s, _ in more.train} & {s for s, _ in (*more.valid, *more.test)}


def test_same_surface_pairs_are_marked(world):
    assert same_surface([("Rose", "rose"), ("a", "b")]) == [True, False]
    near, far = (make_dictionary(world, "ana", other) for other in ("ber", "dax"))
    assert np.mean(same_surface(near.test)) > 0.05 + np.mean(same_surface(far.test))


def test_false_friends_are_no_translations(world):
    ana, ber = world.lexicon("ana"), world.lexicon("ber")
    pairs = set(all_pairs(make_dictionary(world, "ana", "ber")))
    friends = [c for c in np.flatnonzero(ber.friend >= 0) if ana.words.count(ber.words[c]) == 1]
    assert len(friends) > 20
    assert not any((ber.words[c], ber.words[c]) in pairs for c in friends)
    right = {(ana.words[c], ber.words[c]) for c in friends}
    assert len(right & pairs) > len(right) / 2


def test_polysemy_gives_several_targets_and_digits_are_left_out(world):
    translations = defaultdict(set)
    for s, t in all_pairs(make_dictionary(world, "ana", "ber", lowercase=True)):
        translations[s].add(t)
        assert s == s.lower()
        assert t == t.lower()
    assert np.mean([len(targets) > 1 for targets in translations.values()]) > 0.05
    assert not any(word.isdigit() or word in ".?," for word in translations)


@pytest.mark.parametrize("lowercase", [False, True])
def test_a_share_of_the_types_is_the_most_frequent_words_and_leaves_other_splits_alone(world, lowercase):
    whole = make_dictionary(world, "ana", "cor", lowercase=lowercase)
    counts = word_counts(world, "ana")
    types = {w.lower() if lowercase else w for w, count in counts.items() if count >= 5}
    for share in (0.025, 0.1, 1.0):
        part = make_dictionary(world, "ana", "cor", lowercase=lowercase, share=share)
        words, known = (
            list(dict.fromkeys(s for s, _ in part.train)),
            list(dict.fromkeys(s for s, _ in whole.train)),
        )
        assert len(words) == min(round(share * len(types)), len(known))
        assert words == known[: len(words)]
        assert part.train == [pair for pair in whole.train if pair[0] in set(words)]
        assert (part.valid, part.test) == (whole.valid, whole.test)
