"""Transliteration: one-to-one, invertible, unseen, seeded; the shared share; the gold dictionary."""

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crosslingua.corpora.derived.transliteration import (
    SCRIPTS,
    Speller,
    Transliteration,
    gold_dictionary,
    sample_dictionary,
)
from crosslingua.errors import ConfigError, InputError

RANGES = [
    st.characters(min_codepoint=first, max_codepoint=last, exclude_categories=["Cs"])
    for first, last in ((0, 0x24F), (0x3000, 0x9FFF), (0x1F300, None))
]
WORDS = st.text(st.one_of(RANGES), min_size=1, max_size=8)
MADE = {script: Transliteration(3, script) for script in SCRIPTS}


@settings(max_examples=200)
@given(one=WORDS, other=WORDS, script=st.sampled_from(list(SCRIPTS)))
def test_it_is_one_to_one_in_the_new_script_alone_and_works_on_pieces_of_words(one, other, script):
    map_, (first, size) = MADE[script], SCRIPTS[script]
    derived = map_.word(one)
    assert all(first <= ord(letter) < first + size for letter in derived)
    assert unicodedata.normalize("NFC", derived) == derived
    assert (derived == map_.word(other)) == (one == other)
    assert map_.word(one + other) == map_.word(one) + map_.word(other)


def test_letters_are_single_letters_in_one_script_that_tokenisers_leave_whole():
    derived = MADE["hangul"].word("naïveЖ1.")
    assert len(derived) == 8
    assert {unicodedata.category(letter) for letter in derived} == {"Lo"}


def test_the_seed_makes_the_script_and_nothing_or_everything_can_be_kept():
    assert Transliteration(1).word("cat") == Transliteration(1).word("cat")
    assert Transliteration(1).word("cat") != Transliteration(2).word("cat")
    assert Transliteration(1, overlap=1.0).word("cat") == "cat"
    assert not Transliteration(1).keeps("cat")


@pytest.mark.parametrize("overlap", [0.25, 0.5])
def test_a_share_of_the_vocabulary_is_kept(overlap):
    map_ = Transliteration(5, overlap=overlap)
    vocabulary = [f"word{number}" for number in range(20_000)]
    kept = [word for word in vocabulary if map_.word(word) == word]
    assert abs(len(kept) / len(vocabulary) - overlap) < 0.015  # four standard deviations
    assert [word for word in vocabulary if map_.keeps(word)] == kept
    assert len({map_.word(word) for word in vocabulary}) == len(vocabulary)
    more = Transliteration(5, overlap=overlap + 0.2)
    assert all(more.keeps(word) for word in kept)  # a larger share contains a smaller one


@pytest.mark.parametrize("overlap", [0.0, 1.0])
def test_a_text_in_the_derived_script_is_refused(overlap):
    with pytest.raises(InputError, match=r"written in hangul itself.*yi"):
        Transliteration(1, overlap=overlap).word("고양이")
    assert Transliteration(1, "yi").word("고양이")


@pytest.mark.parametrize("overlap", [0.0, 0.5])
def test_the_token_of_unknown_words_has_no_copy(overlap):
    map_ = Transliteration(1, overlap=overlap)
    assert map_.word("<unk>") == "<unk>"
    assert ("<unk>", "<unk>") not in gold_dictionary({"<unk>": 9, "unk": 1}, map_)


def test_bad_settings_are_named():
    with pytest.raises(ConfigError, match="unknown script 'runes': there are hangul"):
        Transliteration(1, "runes")
    with pytest.raises(ConfigError, match="overlap 25"):
        Transliteration(1, overlap=25)
    with pytest.raises(ConfigError, match="share 0"):
        sample_dictionary([("a", "b")], 0, 1)


def test_other_characters_become_several_letters_after_an_escape():
    derived = [MADE["vai"].word(chr(code)) for code in range(0x1D400, 0x1D800)]
    assert {len(letters) for letters in derived} == {4}
    assert len(set(derived)) == len(derived)
    assert len({letters[0] for letters in derived}) == 1


def test_a_speller_remembers():
    speller = Speller(MADE["hangul"])
    assert speller["cat"] == speller["cat"] == MADE["hangul"].word("cat")
    assert list(speller) == ["cat"]


def test_the_gold_dictionary_goes_by_frequency_and_leaves_out_shared_words():
    map_ = Transliteration(5, overlap=0.5)
    counts = {"a": 2, "b": 9, "c": 2, "d": 1, "e": 5, "f": 5}
    pairs = gold_dictionary(counts, map_)
    assert pairs == [(word, map_.word(word)) for word in "befacd" if not map_.keeps(word)]
    assert 0 < len(pairs) < 6


def test_a_share_of_the_dictionary_is_seeded_and_in_order():
    pairs = [(f"w{number}", f"v{number}") for number in range(100)]
    quarter = sample_dictionary(pairs, 0.25, 3)
    assert len(quarter) == 25
    assert quarter == sorted(quarter, key=pairs.index)
    assert quarter == sample_dictionary(pairs, 0.25, 3) != sample_dictionary(pairs, 0.25, 4)
