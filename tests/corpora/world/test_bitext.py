"""Parallel text: the same event in both languages, and links that hold."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpora.world.support import linked_pairs, make_world
from crosslingua.corpora.world.bitext import bitext_blocks
from crosslingua.io.pharaoh import read_pharaoh

SPECS = st.fixed_dictionaries(
    {
        "word_order": st.sampled_from(["SVO", "SOV", "VSO", "OVS"]),
        "adpositions": st.sampled_from(["before", "after"]),
        "articles": st.sampled_from(["none", "definite", "both"]),
        "pro_drop": st.booleans(),
        "compounding": st.booleans(),
        "morphology": st.fixed_dictionaries({
            "future": st.sampled_from(["auxiliary", "suffix"]), "passive": st.sampled_from(["auxiliary", "suffix"]),
            "negation": st.sampled_from(["particle", "suffix"]), "place": st.sampled_from(["adposition", "case"]),
        }),
    }
)  # fmt: skip


@settings(max_examples=15, deadline=None)
@given(first=SPECS, second=SPECS)
def test_links_are_in_range_and_cover_both_sides(first, second):
    for ours, theirs, sure, possible in linked_pairs(make_world(aa=first, bb=second), "aa", "bb", 150):
        links = sure | possible
        assert not sure & possible
        assert {i for i, _ in links} == set(range(len(ours)))  # every word is linked
        assert {j for _, j in links} == set(range(len(theirs)))
        assert (len(ours) - 1, len(theirs) - 1) in sure  # the full stops
        for i, j in links:
            if ours[i].isdigit():
                assert theirs[j] == ours[i] or (i, j) in possible


@pytest.mark.parametrize("target", ["ber", "cor", "dax", "eno", "fyr"])
def test_sure_links_are_translations(world, target):
    """What is linked surely begins like a word of one concept in both languages (stems; compounds apart)."""
    ours, theirs = world.lexicon("ana"), world.lexicon(target)
    stems = {}
    for concept in range(len(world.concepts)):
        for lexicon, side in ((ours, 0), (theirs, 1)):
            for word in {lexicon.words[concept], lexicon.second[concept]}:
                stems.setdefault((side, word.lower()), set()).add(concept)

    def concepts(side, word):
        return set().union(*(stems.get((side, word[:k].lower()), set()) for k in range(1, len(word) + 1)))

    right = [
        bool(concepts(0, x[i]) & concepts(1, y[j]))
        for x, y, sure, _ in linked_pairs(world, "ana", target, 600)
        for i, j in sure
    ]
    assert np.mean(right) > (0.97 if world.family[target].compounding else 0.999)


def test_compounds_are_linked_to_both_their_parts(world):
    def manifold(target):
        found = linked_pairs(world, "ana", target, 2000)
        return np.mean([len({j for _, j in sure}) < len(sure) for _, _, sure, _ in found])

    assert manifold("cor") > 0.05
    assert manifold("ber") == 0


def test_possible_links_say_what_only_one_language_says(world):
    ana = world.language("ana")
    forms = ana.forms.form[:, list(world.concepts.function.values())]
    function = {ana.surfaces[form] for form in np.unique(forms)}
    for x, _, _, possible in linked_pairs(world, "ana", "dax", 500):
        assert all(x[i] in function for i, _ in possible)
    assert not any(possible for _, _, _, possible in linked_pairs(world, "ana", "ber", 500))


def test_distant_languages_cross_more(world):
    def crossing(target):
        found = linked_pairs(world, "ana", target, 300)
        ordered = [[j for _, j in sorted(sure)] for _, _, sure, _ in found]
        return np.mean([np.mean(np.diff(order) < 0) for order in ordered if len(order) > 2])

    assert crossing("ber") < 0.05 < crossing("cor") < crossing("dax")


def test_splits_are_disjoint_sized_and_stable(world):
    parts = {s: linked_pairs(world, "ana", "cor", 700, split=s) for s in ("train", "valid", "test")}
    texts = {s: [tuple(x) for x, *_ in found] for s, found in parts.items()}
    assert all(len(found) == 700 for found in texts.values())
    assert all(set(one).isdisjoint(other) for one, other in combinations(texts.values(), 2))
    assert linked_pairs(world, "ana", "cor", 200, split="test") == parts["test"][:200]


def test_the_library_reads_the_links(world, written):
    block = next(bitext_blocks(world, "ana", "cor", 50))
    lengths = [(len(x), len(y)) for x, y, *_ in linked_pairs(world, "ana", "cor", 50)]
    assert len(read_pharaoh(written(block.links), lengths)) == 50
