"""Parallel files: equal lengths or an error with both counts."""

import gzip
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crosslingua.errors import ConfigError, InputError
from crosslingua.io.bitext import (
    drop_same_surface,
    read_bitext,
    read_counts,
    read_dictionary,
    select_sources,
    sources,
    split_validation,
    write_bitext,
    write_counts,
    write_dictionary,
)
from texts import written


def files(tmp_path, first, second):
    return written(tmp_path / "a.en", first), written(tmp_path / "a.de", second)


def test_pairs_in_order_with_empty_sides(tmp_path):
    assert list(read_bitext(*files(tmp_path, "a\n\nc\n", "x\ny\nz"))) == [("a", "x"), ("", "y"), ("c", "z")]


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        ("a\nb\n", "x\ny\nz\nw\n", r"a\.en: has 2 lines, but .*a\.de has 4"),
        ("a\nb\nc\n", "x\n", r"a\.de: has 1 lines, but .*a\.en has 3"),
        ("", "x\n", r"a\.en: has 0 lines, but .*a\.de has 1"),
    ],
)
def test_unequal_lengths(tmp_path, first, second, message):
    with pytest.raises(InputError, match=message):
        list(read_bitext(*files(tmp_path, first, second)))


def test_written_files_read_back(tmp_path):
    pairs = [("ein Satz", "a sentence"), ("", "alone"), ("\u2028", "ß")]
    assert write_bitext(pairs, tmp_path / "b.de", tmp_path / "b.en") == 3
    assert list(read_bitext(tmp_path / "b.de", tmp_path / "b.en")) == pairs


def test_a_line_end_in_a_sentence_writes_nothing(tmp_path):
    with pytest.raises(InputError, match="line end inside"):
        write_bitext([("a", "b"), ("a\nb", "c")], tmp_path / "b.de", tmp_path / "b.en")
    assert list(tmp_path.iterdir()) == []


def test_compressed_and_truncated(tmp_path):
    _first, second = files(tmp_path, "a\n", "x\n")
    packed = written(tmp_path / "a.gz", gzip.compress(b"word " * 999 + b"\n")[:-12])
    with pytest.raises(InputError, match=r"a\.gz: truncated or damaged"):
        list(read_bitext(packed, second))


# Dictionaries: MUSE's format, repairs that are counted, splits by source word.


def test_spaces_are_no_part_of_words_and_repeated_pairs_are_dropped_and_counted(tmp_path):
    counts = Counter()
    path = written(
        tmp_path / "d.txt", "\ufeffthe die\r\nthe\tder\r\n\r\n  cat \t Katze \nthe die\nthe\tdie\n"
    )
    assert read_dictionary(path, counts) == [("the", "die"), ("the", "der"), ("cat", "Katze")]
    assert counts["duplicate"] == 2


NO_DICTIONARY = {
    f"a b\n{line}\n{line}\n": r"d\.txt:2: expected a source and a target word.*2 of 3 lines are no pair"
    for line in ("alone", "New York Neu-York", "a b c d", "alone\t")
} | {"": "holds no pairs", "\n \n": "holds no pairs", b"a b\nc \xe4\n": r"d\.txt:2: invalid UTF-8"}


@pytest.mark.parametrize("text", NO_DICTIONARY)
def test_a_file_that_is_mostly_no_dictionary_is_refused(tmp_path, text):
    with pytest.raises(InputError, match=NO_DICTIONARY[text]):
        read_dictionary(written(tmp_path / "d.txt", text))


def test_what_is_no_pair_of_words_is_dropped_and_counted(tmp_path, caplog):
    text = "new york\tneuyork\nhouse\t\thaus\ncat katze 0.93\ndog\thund\tnoun\nx y z\nrain regen\n"
    pairs = [("house", "haus"), ("cat", "katze"), ("dog", "hund"), ("rain", "regen")]
    counts = Counter()
    path = written(tmp_path / "d.txt", text)
    assert read_dictionary(path, counts) == pairs
    assert +counts == {"several_words": 1, "further_columns": 2, "not_a_pair": 1}
    assert read_dictionary(path) == pairs
    assert "1 several_words, 2 further_columns, 1 not_a_pair" in caplog.text


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


def test_validation_words_keep_all_their_translations_and_depend_on_the_seed():
    pairs = many(200)
    training, validation = split_validation(pairs, 0.1)
    assert len(sources(validation)) == 20
    assert not set(sources(training)) & set(sources(validation))
    assert sorted(training + validation) == sorted(pairs)
    assert all(sum(source == word for source, _ in validation) == 2 for word in sources(validation))
    first = set(sources(split_validation(pairs, 0.1)[1]))
    assert first == set(sources(split_validation(pairs[::-1], 0.1)[1]))
    assert first != set(sources(split_validation(pairs, 0.1, seed=1)[1]))
    assert len({int(word[1:]) // 50 for word in first}) == 4  # spread over all ranks
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


def test_counts_survive_and_are_sorted(tmp_path: Path) -> None:
    write_counts(tmp_path / "c.tsv", {"b": 2, "a": 2, "\u2028": 1, "z": 9})
    assert (tmp_path / "c.tsv").read_text(encoding="utf-8") == "z\t9\na\t2\nb\t2\n\u2028\t1\n"
    assert list(read_counts(tmp_path / "c.tsv").items()) == [("z", 9), ("a", 2), ("b", 2), ("\u2028", 1)]


NO_COUNTS = {
    f"fine\t1\n{line}\n": r"c\.tsv:2: expected word<TAB>count"
    for line in ("word", "word\tmany", "\t3", "word\t-1", "word\t²", "word\t" + "9" * 5000)
} | {"a\t3\nb\t1\na\t2\n": r"c\.tsv:3: a second count of 'a' \(count the text again", "": "no words"}


@pytest.mark.parametrize("text", NO_COUNTS)
def test_what_is_no_list_of_counts_is_named_with_its_line(tmp_path: Path, text: str) -> None:
    with pytest.raises(InputError, match=NO_COUNTS[text]):
        read_counts(written(tmp_path / "c.tsv", text))
