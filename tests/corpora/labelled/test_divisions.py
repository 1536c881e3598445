"""Divisions keep groups whole, depend on nothing but seed and name, and follow the shares; leaving out."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crosslingua.corpora.labelled.source import Grouped
from crosslingua.corpora.labelled.splits import divide, drop_repeats, folded, leave_out
from crosslingua.errors import ConfigError
from crosslingua.io.conll import TaggedSentence
from crosslingua.io.pairs import SentencePair

SHARES = {"train": 0.5, "valid": 0.2, "test": 0.3}


def first(item):
    return item[0]


@settings(deadline=None)
@given(
    groups=st.lists(st.text("abcdef", min_size=1, max_size=3), min_size=10, max_size=60, unique=True),
    seed=st.integers(0, 5),
    data=st.data(),
)
def test_groups_stay_whole_and_items_in_order(groups, seed, data):
    items = data.draw(st.permutations([(group, k) for group in groups for k in range(len(group))]))
    parts = divide(items, first, SHARES, seed)
    assert sorted(item for part in parts.values() for item in part) == sorted(items)
    for part in parts.values():
        assert part == [item for item in items if item in set(part)]
    names = [{first(item) for item in part} for part in parts.values()]
    assert sum(map(len, names)) == len(groups)
    for name, share in zip(names, SHARES.values(), strict=True):
        assert abs(len(name) - share * len(groups)) <= 1
    again = divide(sorted(items), first, SHARES, seed)
    assert {key: set(part) for key, part in again.items()} == {key: set(part) for key, part in parts.items()}


def test_the_seed_matters():
    items = [(str(k), 0) for k in range(50)]
    assert divide(items, first, SHARES, 1) != divide(items, first, SHARES, 2)


@pytest.mark.parametrize("shares", [{"a": 0.5, "b": 0.6}, {"a": 1.5, "b": -0.5}])
def test_shares_must_sum_to_one(shares):
    with pytest.raises(ConfigError, match="sum to 1"):
        divide([("x", 0)], first, shares, 1)


def test_a_part_without_groups_is_refused():
    with pytest.raises(ConfigError, match=r"part 'b' with share 0\.1 of 2 groups is empty"):
        divide([("x", 0), ("y", 0)], first, {"a": 0.9, "b": 0.1}, 1)


def test_repeats_are_dropped_and_counted():
    counts = Counter()
    assert drop_repeats([("a", 1), ("b", 2), ("a", 3)], first, counts) == [("a", 1), ("b", 2)]
    assert counts == {"repeats": 1}


def test_leaving_out_works_on_any_iterable_and_counts():
    counts = Counter()
    assert leave_out(iter([1, 2, 3, 2]), lambda x: x, {2}, counts) == [1, 3]
    assert counts == {"left_out": 2}


def tagged(*tokens):
    return Grouped(TaggedSentence(tokens, ("O",) * len(tokens)), "")


def test_folding_forgets_case_punctuation_and_tokenisation():
    assert folded(tagged("Is", "it", "Ann's", "?")) == folded(tagged("is", "it", "ann", "'s"))
    assert folded(tagged("Is", "it")) != folded(tagged("Is", "he"))
    assert folded(Grouped(SentencePair("It is.", "x", "neutral"), "")) == "itis"
