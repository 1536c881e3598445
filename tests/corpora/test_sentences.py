"""Sentence splitting at final marks, by hand."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crosslingua.corpora.pipeline import split_sentences


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("a b . c d .", ["a b .", "c d ."]),
        ("a . . . b", ["a . . .", "b"]),
        ("a ... b", ["a ...", "b"]),
        ('He said : " go ! " Then', ['He said : " go ! "', "Then"]),
        ("no end", ["no end"]),
        (". a", [".", "a"]),
        ("U.S. and 3.5 stay", ["U.S. and 3.5 stay"]),
        ("是 的 。 好 ！ 」 嗎 ？", ["是 的 。", "好 ！ 」", "嗎 ？"]),
        ("यह है । वह है ।", ["यह है ।", "वह है ।"]),
    ],
)
def test_by_hand(text, sentences):
    assert [" ".join(tokens) for tokens in split_sentences(text.split())] == sentences


@settings(deadline=None)
@given(st.lists(st.sampled_from(["a", ".", "!", '"', ")", "..."])))
def test_no_token_is_lost_and_no_sentence_empty(tokens):
    sentences = list(split_sentences(tokens))
    assert [token for sentence in sentences for token in sentence] == tokens
    assert all(sentences)
