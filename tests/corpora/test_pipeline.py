"""The compact set of hashes against Python's set."""

import unicodedata

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crosslingua.corpora.pipeline import (
    Distinct,
    hashes,
    normalise_line,
    punctuation_normaliser,
    split_sentences,
)


@settings(deadline=None)
@given(st.lists(st.lists(st.integers(0, 40), max_size=30), max_size=30))
def test_as_a_set(batches):
    distinct, known = Distinct(), set()
    for batch in batches:
        wanted = [value not in known and value not in batch[:place] for place, value in enumerate(batch)]
        known.update(batch)
        assert distinct.add(np.array(batch, dtype="<u8")).tolist() == wanted
        assert len(distinct) == len(known)


def test_levels_stay_few():
    distinct = Distinct()
    for start in range(500):
        distinct.add(np.arange(start * 10, start * 10 + 10, dtype="<u8"))
    assert len(distinct) == 5000
    assert len(distinct._levels) <= 10


def test_hashes_are_those_of_blake2b_everywhere():
    # BLAKE2b with an 8-byte digest, computed by `b2sum -l 64`.
    assert hashes(["abc", ""]).tobytes().hex() == "d8bb14d833d59559" + "e4a6a0577479b2b4"
    assert len(set(hashes(map(str, range(20000))).tolist())) == 20000


# Sentence splitting at final marks, by hand.


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


# Normalisation: hand-worked lines, and properties on arbitrary text.


@pytest.mark.parametrize(
    ("raw", "wanted", "removed"),
    [
        ("plain text", "plain text", 0),
        ("  two  spaces \t and a tab ", "two spaces and a tab", 0),
        ("no\u00a0break\u2009thin\u3000wide", "no break thin wide", 0),
        ("line\u2028separator\u2029paragraph\u0085next\x0bvertical\x0cfeed\x1cfile",
         "line separator paragraph next vertical feed file", 0),
        ("Caf\u0065\u0301", "Caf\u00e9", 0),
        ("\u1100\u1161\u11a8", "\uac01", 0),  # Hangul jamo to a syllable
        ("zero\u200bwidth", "zerowidth", 1),
        ("\ufeffmark\ufeff inside", "mark inside", 2),
        ("soft\u00adhyphen", "softhyphen", 1),
        ("bell\x07 nul\x00 del\x7f c1\x9f", "bell nul del c1", 4),
        ("\u200eleft\u202aright\u2069", "leftright", 3),
        ("a\u200db", "ab", 1),  # a joiner between Latin letters is noise…
        ("क\u094d\u200dष", "क\u094d\u200dष", 0),  # …in Devanagari it spells
        ("می\u200cخواهم", "می\u200cخواهم", 0),  # …and in Persian
        ("👩\u200d🔬", "👩\u200d🔬", 0),
        ("\u200d start", "start", 1),
        ("\u2028\u200c", "", 1),
        ("क\u2003\u200c ख", "क ख", 1),
        ("e\u200d\u0301", "\u00e9", 1),
        ("", "", 0),
        ("\u00a0\u200b", "", 1),
        ("ﬁne ½ Ⅷ", "ﬁne ½ Ⅷ", 0),  # canonical, not compatibility, composition
    ],
)  # fmt: skip
def test_by_hand_of_normalise(raw, wanted, removed):
    assert normalise_line(raw) == (wanted, removed)


ODD = st.sampled_from(
    "\u200b\u200c\u200d\ufeff\u00a0\u2028\u00ad\x00\u0301\u0323e\u212b क\u094d\u1100\u1161 \u202a"
)
TEXT = st.lists(st.one_of(ODD, st.characters(blacklist_categories=["Cs"]))).map("".join)


@settings(deadline=None)
@given(TEXT)
def test_normal_form_keeps_every_letter_and_nothing_that_is_invisible_or_doubled(text):
    def kept(line):  # up to composition
        line = unicodedata.normalize("NFD", line)
        return sorted(character for character in line if unicodedata.category(character)[0] in "LNPS")

    line, _ = normalise_line(text)
    assert normalise_line(line) == (line, 0)
    assert unicodedata.is_normalized("NFC", line)
    assert not any(unicodedata.category(character) == "Cc" for character in line)
    assert line.split() == [token for token in line.split(" ") if token]
    assert all(character == " " or not character.isspace() for character in line)
    assert kept(line) == kept(text)


def test_punctuation_by_moses():
    assert punctuation_normaliser("en")("“Yes” – he’s ‘here’…") == "\"Yes\" - he's 'here'..."
