from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crosslingua.errors import ConfigError
from crosslingua.io.vectors import WordVectors
from crosslingua.vocabulary_reallocation.spaces import JointVocabulary, by_occurrence, by_ratio, describe

counts = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30)), min_size=1, max_size=30)


def test_the_division_by_hand() -> None:
    # gamma 0.75: shared between r = 1/3 and r = 3, ends included; equal totals, so r is the ratio of counts.
    division = by_ratio(np.array([3, 1, 4, 1, 7, 0]), np.array([1, 3, 1, 4, 0, 7]), 100, 100, 0.75)
    assert division.shared.tolist() == [0, 1]
    assert division.source.tolist() == [2, 4]
    assert division.target.tolist() == [3, 5]


@given(counts, st.integers(1, 500), st.integers(1, 500), st.sampled_from([0.7, 0.8, 0.9, 0.95]))
def test_the_division_is_equation_6_in_exact_arithmetic(pairs, tokens_source, tokens_target, gamma) -> None:
    one, other = np.array(pairs).T
    division = by_ratio(one, other, tokens_source, tokens_target, gamma)
    sets = {int(i): name for name in ("source", "target", "shared") for i in getattr(division, name)}
    g = Fraction(str(gamma))
    for i, (a, b) in enumerate(pairs):
        if a == b == 0:
            assert i not in sets
            continue
        r = Fraction(tokens_target, tokens_source) * Fraction(a, b) if b else None
        shared = r is not None and (1 - g) / g <= r <= g / (1 - g)
        assert sets[i] == ("shared" if shared else "source" if r is None or r > 1 else "target")


@given(counts)
def test_sets_are_disjoint_and_complete(pairs) -> None:
    one, other = np.array(pairs).T
    for division in (by_occurrence(one, other), by_ratio(one, other, 50, 60, 0.9)):
        together = np.concatenate([division.source, division.target, division.shared])
        assert sorted(together) == [i for i, pair in enumerate(pairs) if pair != (0, 0)]


@pytest.mark.parametrize("gamma", [0.3, 1.0, 1.2])
def test_a_gamma_without_an_interval_is_refused(gamma: float) -> None:
    with pytest.raises(ConfigError, match="gamma"):
        by_ratio(np.array([1]), np.array([1]), 1, 1, gamma)


WORDS = ["the", "der", "berlin", "haus", "house", "gift"]
SOURCE = {"the": 900, "berlin": 40, "house": 50, "der": 2, "gift": 8}
TARGET = {"der": 800, "berlin": 50, "haus": 60, "the": 3, "gift": 87}


def joint() -> JointVocabulary:
    return JointVocabulary.of(WordVectors(WORDS, np.eye(6, 4, dtype=np.float32) + 1), SOURCE, TARGET)


def test_oversharing_is_undone() -> None:
    vocabulary = joint()
    before, after = vocabulary.divide(None), vocabulary.divide(0.9)
    assert [WORDS[i] for i in before.shared] == ["the", "der", "berlin", "gift"]
    assert [WORDS[i] for i in after.shared] == ["berlin"]
    report = describe(vocabulary, after)
    assert report["moved_to_source"] == ["the"]
    assert report["moved_to_target"] == ["der", "gift"]
    assert report["sizes_before"] == {"source": 1, "target": 1, "shared": 4}


def test_each_side_is_in_the_order_of_its_own_frequency_and_capped() -> None:
    vocabulary = joint()
    space = vocabulary.space(vocabulary.divide(None))
    assert space.source.words == ["the", "house", "berlin", "gift", "der"]
    assert space.target.words == ["der", "gift", "haus", "berlin", "the"]
    assert set(space.shared) == {"the", "der", "berlin", "gift"}
    assert np.array_equal(space.source["berlin"], space.target["berlin"])
    capped = vocabulary.space(vocabulary.divide(None), max_vocabulary=2)
    assert capped.source.words == ["the", "house"]
    assert capped.shared == []


def test_words_without_a_count_count_zero() -> None:
    joint = JointVocabulary.of(WordVectors(["a", "b"], np.ones((2, 1), dtype=np.float32)), {"b": 3}, {"a": 1})
    assert (joint.counts_source.tolist(), joint.counts_target.tolist()) == ([0, 3], [1, 0])
