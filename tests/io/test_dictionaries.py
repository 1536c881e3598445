"""Dictionaries: MUSE's format, repairs that are counted, splits by source word."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crosslingua.errors import ConfigError, InputError
from crosslingua.io.bitext import (
    drop_same_surface,
    read_dictionary,
    select_sources,
    sources,
    split_validation,
    write_dictionary,
)


def written(tmp_path, text):
    path = tmp_path / "d.txt"
    path.write_bytes(text.encode())
    return path


def test_spaces_tabs_crlf_and_blank_lines(tmp_path):
    path = written(tmp_path, "\ufeffthe die\r\nthe\tder\r\n\r\n  cat \t Katze \n")
    assert read_dictionary(path) == [("the", "die"), ("the", "der"), ("cat", "Katze")]


def test_repeated_pairs_are_dropped_and_counted(tmp_path):
    counts = Counter()
    path = written(tmp_path, "a x\nb y\na x\na z\na x\n")
    assert read_dictionary(path, counts) == [("a", "x"), ("b", "y"), ("a", "z")]
    assert counts["duplicate"] == 2


@pytest.mark.parametrize("line", ["alone", "New York Neu-York", "a b c d"])
def test_malformed_lines_are_named(tmp_path, line):
    with pytest.raises(InputError, match=r"d\.txt:2: expected a source and a target word"):
        read_dictionary(written(tmp_path, f"a b\n{line}\n"))


@pytest.mark.parametrize("text", ["", "\n \n"])
def test_a_dictionary_without_pairs(tmp_path, text):
    with pytest.raises(InputError, match="holds no pairs"):
        read_dictionary(written(tmp_path, text))


def test_invalid_bytes(tmp_path):
    path = tmp_path / "d.txt"
    path.write_bytes(b"a b\nc \xe4\n")
    with pytest.raises(InputError, match=r"d\.txt:2: invalid UTF-8"):
        read_dictionary(path)


WORD = st.text(st.characters(blacklist_categories=["Cs"], blacklist_characters=" \t\n\r\ufeff"), min_size=1)


@settings(deadline=None)
@given(st.lists(st.tuples(WORD, WORD), min_size=1, unique=True))
def test_what_is_written_is_read(tmp_path_factory, pairs):
    path = tmp_path_factory.mktemp("d") / "d.txt"
    write_dictionary(path, pairs)
    assert read_dictionary(path) == pairs


@pytest.mark.parametrize("word", ["", "two words", "tab\there", "line\nend"])
def test_words_that_the_format_cannot_hold(tmp_path, word):
    with pytest.raises(InputError, match="cannot write"):
        write_dictionary(tmp_path / "d.txt", [("a", "b"), ("c", word)])
    assert list(tmp_path.iterdir()) == []


def test_ranks_count_distinct_sources():
    pairs = [("a", "1"), ("b", "2"), ("a", "3"), ("c", "4"), ("b", "5")]
    assert sources(pairs) == ["a", "b", "c"]
    assert select_sources(pairs, 1, 3) == [("b", "2"), ("c", "4"), ("b", "5")]


def many(number):
    return [(f"w{index % number}", f"t{index}") for index in range(2 * number)]


def test_validation_words_keep_all_their_translations():
    pairs = many(200)
    training, validation = split_validation(pairs, 0.1)
    assert len(sources(validation)) == 20
    assert not set(sources(training)) & set(sources(validation))
    assert sorted(training + validation) == sorted(pairs)
    assert all(sum(source == word for source, _ in validation) == 2 for word in sources(validation))


def test_the_split_depends_on_the_seed_and_not_on_the_order():
    pairs = many(200)
    first = set(sources(split_validation(pairs, 0.1)[1]))
    assert first == set(sources(split_validation(pairs[::-1], 0.1)[1]))
    assert first != set(sources(split_validation(pairs, 0.1, seed=1)[1]))
    assert len({int(word[1:]) // 50 for word in first}) == 4  # spread over all ranks


def test_the_split_hardly_changes_with_more_words():
    few, more = (set(sources(split_validation(many(number), 0.1)[1])) for number in (200, 210))
    assert len(few & more) >= 17


@pytest.mark.parametrize("share", [0.0, 0.001, 1.0])
def test_a_split_without_words_in_a_part(share):
    with pytest.raises(ConfigError, match="both parts need one"):
        split_validation(many(200), share)


def test_same_surface_pairs_are_dropped_whatever_their_case():
    counts = Counter()
    pairs = [("hate", "hate"), ("Hand", "hand"), ("strasse", "Straße"), ("cat", "Katze")]
    assert drop_same_surface(pairs, counts) == [("cat", "Katze")]
    assert counts["same_surface"] == 3
