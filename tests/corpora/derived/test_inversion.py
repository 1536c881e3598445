"""Inversion: the examples of align_mlm's table 9, twice is nothing, spans stay whole."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crosslingua.corpora.derived.syntax import inversion, inverted

SENTENCES = st.lists(st.sampled_from(["a", "b", "c", ".", "!"]), max_size=20)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Welcome to ACL", "ACL to Welcome"),
        ("I am Sam . I am", "Sam am I . am I"),
        ("One . Two three . .", "One . three Two . ."),
        ("", ""),
        (".", "."),
        ("Is it ?", "? it Is"),
    ],
)
def test_hand_worked(text, expected):
    assert " ".join(inverted(text.split())) == expected


def test_other_sentence_ends():
    assert inverted(["Is", "it", "?", "Yes", "!", "So"], {".", "?", "!"}) == [
        "it",
        "Is",
        "?",
        "Yes",
        "!",
        "So",
    ]


@settings(deadline=None)
@given(SENTENCES)
def test_twice_is_nothing_and_both_ways_agree(words):
    order = inversion(words)
    assert sorted(order) == list(range(len(words)))
    assert [words[index] for index in order] == inverted(words)
    assert inverted(inverted(words)) == words
    assert [index for index, word in enumerate(inverted(words)) if word == "."] == [
        index for index, word in enumerate(words) if word == "."
    ]


@settings(deadline=None)
@given(words=SENTENCES, data=st.data())
def test_spans_stay_together_and_twice_is_still_nothing(words, data):
    cuts = sorted(data.draw(st.sets(st.integers(0, len(words)), max_size=8)))
    spans = list(zip(cuts[::2], cuts[1::2], strict=False))
    order = inversion(words, together=spans)
    moved = []
    for start, end in spans:
        places = [place for place, old in enumerate(order) if start <= old < end]
        assert places == list(range(places[0], places[0] + len(places)))
        assert [order[place] for place in places] == list(range(end - 1, start - 1, -1)) or "." in words[
            start:end
        ]
        moved.append((places[0], places[-1] + 1))
    again = inversion([words[index] for index in order], together=moved)
    assert [order[index] for index in again] == list(range(len(words)))


def test_a_period_inside_a_span_ends_no_sentence():
    words = ["Dr", ".", "Who", "slept", ".", "He", "woke"]
    assert [words[index] for index in inversion(words, together=[(0, 3)])] == [
        "slept",
        "Who",
        ".",
        "Dr",
        ".",
        "woke",
        "He",
    ]
    assert [words[index] for index in inversion(words)] == ["Dr", ".", "slept", "Who", ".", "woke", "He"]
