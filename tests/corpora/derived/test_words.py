"""Words of raw text: hand-worked cases; nothing but white space is lost."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crosslingua.corpora.derived.files import places, words
from crosslingua.errors import ConfigError


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Don't stop, well-known Mr. X!", "Don't stop , well-known Mr . X !"),
        ("It cost $1,000.50 (or 7%).", "It cost $ 1,000.50 ( or 7 % ) ."),
        ("„Ja“, sagte l’homme…", "„ Ja “ , sagte l’homme …"),
        ("हिन्दी में है।", "हिन्दी में है।"),
        ("a_b -- c-", "a _ b - - c -"),
    ],
)
def test_punctuation_is_split_off(text, expected):
    assert words(text, "punctuation") == expected.split()


def test_tokenised_text_is_split_at_white_space():
    assert words(" Don't , @-@ stop \u00a0 x", "whitespace") == ["Don't", ",", "@-@", "stop", "x"]


@settings(deadline=None)
@given(st.text(max_size=40), st.sampled_from(["whitespace", "punctuation"]))
def test_every_character_but_white_space_is_in_one_word(text, splitting):
    found = list(places(text, splitting))
    assert all(text[start:end] == word for word, start, end in found)
    covered = [index for _, start, end in found for index in range(start, end)]
    assert covered == [index for index, character in enumerate(text) if not character.isspace()]
    assert [place.word for place in found] == words(text, splitting)


def test_an_unknown_splitting_is_named():
    with pytest.raises(ConfigError, match="not 'bytes'"):
        words("a", "bytes")
