"""Parallel files, sentence pairs and word alignments: round trips, and malformations with their line."""

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crosslingua.errors import ConfigError, InputError
from crosslingua.io import bitext
from crosslingua.io.bitext import read_bitext, read_counts, read_dictionary, sources, split_validation
from crosslingua.io.pairs import SentencePair, read_pairs, write_pairs
from crosslingua.io.pharaoh import LinkFile, Links, read_numbered_links, read_pharaoh, write_pharaoh
from crosslingua.tasks.kinds import KINDS
from texts import written

NLI, PARAPHRASE = (KINDS[kind].pairs for kind in ("nli", "paraphrase"))
PAIRS = [
    SentencePair('He said "yes', "He spoke", "entailment"),
    SentencePair("A", 'B ""', "neutral"),
    SentencePair("A", "C\u2028D", "contradiction"),
]


def files(tmp_path, first, second):
    return written(tmp_path / "a.en", first), written(tmp_path / "a.de", second)


def test_pairs_in_order_with_empty_sides_and_unequal_lengths(tmp_path):
    assert list(read_bitext(*files(tmp_path, "a\n\nc\n", "x\ny\nz"))) == [("a", "x"), ("", "y"), ("c", "z")]
    for first, second, message in (
        ("a\nb\n", "x\ny\nz\nw\n", r"a\.en: has 2 lines, but .*a\.de has 4"),
        ("a\nb\nc\n", "x\n", r"a\.de: has 1 lines, but .*a\.en has 3"),
        ("", "x\n", r"a\.en: has 0 lines, but .*a\.de has 1"),
    ):
        with pytest.raises(InputError, match=message):
            list(read_bitext(*files(tmp_path, first, second)))


def test_a_stray_carriage_return_parts_no_line_from_its_translation(tmp_path):
    counts = Counter()
    sides = written(tmp_path / "a", "a b\rc d\r\ne f\n"), written(tmp_path / "b", "x y\nz\rw\r")
    assert list(read_bitext(*sides, counts=counts)) == [("a b c d", "x y"), ("e f", "z w")]
    assert counts == {"replaced_spaces": 2}
    old = written(sides[0], "a b\rc d\r")  # without any newline
    assert list(read_bitext(old, sides[1])) == [("a b", "x y"), ("c d", "z w")]
    last = written(sides[0], "a b\rc d\n")  # with one at the end
    assert list(read_bitext(last, sides[1])) == [("a b", "x y"), ("c d", "z w")]


def test_written_files_read_back_and_a_line_end_in_a_sentence_writes_nothing(tmp_path):
    pairs, paths = [("ein Satz", "a sentence"), ("", "alone"), ("\u2028", "ß")], files(tmp_path, "", "")
    with pytest.raises(InputError, match="line end inside"):
        bitext.write_bitext([("a", "b"), ("a\nb", "c")], *paths)
    assert [path.read_text() for path in tmp_path.iterdir()] == ["", ""]
    assert bitext.write_bitext(pairs, *paths) == 3
    assert list(read_bitext(*paths)) == pairs


# Dictionaries: MUSE's format, repairs that are counted, splits by source word.


def test_spaces_are_no_part_of_words_and_repeated_pairs_are_dropped_and_counted(tmp_path):
    counts = Counter()
    text = "\ufeffthe die\r\nthe\tder\r\n\r\n  cat \t Katze \nthe die\nthe\tdie\n"
    path = written(tmp_path / "d.txt", text)
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
    text = "new york\tneuyork\na\x0bb c\nhouse\t\thaus\ncat katze 0.93\ndog\thund\tnoun\nx y z\nrain regen\n"
    pairs = [("house", "haus"), ("cat", "katze"), ("dog", "hund"), ("rain", "regen")]
    counts, path = Counter(), written(tmp_path / "d.txt", text)
    assert read_dictionary(path, counts) == pairs
    assert +counts == {"several_words": 2, "further_columns": 2, "not_a_pair": 1}
    assert read_dictionary(path) == pairs
    assert "2 several_words, 2 further_columns, 1 not_a_pair" in caplog.text


def test_cells_are_cleaned_and_counted(tmp_path):
    text = 's0 t0,\n"house"\t«Haus»\nR&amp;D F&amp;E\nsoc\u200bcer\tFußball\n, ,\n\'tis es\nx; y\n'
    counts = Counter()
    assert read_dictionary(written(tmp_path / "d.txt", text), counts) == [
        ("s0", "t0"), ("house", "Haus"), ("R&D", "F&E"), ("soccer", "Fußball"), (",", ","), ("'tis", "es"),
        ("x", "y"),
    ]  # fmt: skip
    assert +counts == {"marks_taken_off": 4, "decoded_entities": 2, "removed_characters": 1}


@pytest.mark.parametrize("mark", ",;")
def test_a_file_whose_every_word_ends_in_a_comma_is_csv(tmp_path, mark):
    for text in (f"house{mark} Haus\ncat{mark} Katze\n", f"house{mark}Haus\ncat{mark}Katze\n"):
        with pytest.raises(InputError, match=r"CSV.*write a tab in place of"):
            read_dictionary(written(tmp_path / "d.txt", text))


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("{}\thouse{}\thaus{}", "each source word is a number, as 0 .*cut -f2,3"),
        ("house{}\t{}", "each target word is a number"),
        ("house{}:\thaus{}", "each source word ends in ':' .write a tab"),
        ("'house{}' 'haus{}'", 'each word stands between "\'" and "\'" .write the words alone'),
        ("<house{}>\t<haus{}>", "each word stands between '<' and '>'"),
    ],
)
def test_columns_of_numbers_and_words_between_marks_are_refused(tmp_path, line, told):
    lines = [line.format(number, number, number) for number in range(10)]
    with pytest.raises(InputError, match=rf"d\.txt: {told}"):
        read_dictionary(written(tmp_path / "d.txt", "\n".join(lines)))
    mixed = [*lines, "house haus"] if "\t" not in line else [*lines, "house\thaus"]
    assert ("house", "haus") in read_dictionary(written(tmp_path / "d.txt", "\n".join(mixed)))


@pytest.mark.parametrize("mark", [" → ", " -> ", "\t=>\t", " = ", "  =  "])
def test_a_separator_that_every_line_has_is_no_word(tmp_path, mark):
    path = written(tmp_path / "d.txt", f"house{mark}Haus\n\nin spite{mark}trotz\n+{mark}=\n")
    counts = Counter()
    assert read_dictionary(path, counts) == [("house", "Haus"), ("+", "=")]
    assert +counts == {"separators_taken_off": 3, "several_words": 1}


def test_a_separator_that_some_lines_have_is_a_word(tmp_path):
    path = written(tmp_path / "d.txt", "house Haus\n= =\ncat Katze\na = b\n")
    counts = Counter()
    assert read_dictionary(path, counts) == [("house", "Haus"), ("=", "="), ("cat", "Katze")]
    assert +counts == {"not_a_pair": 1}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("house:Haus cat:Katze\n", "1: ':' stands inside each word: 'house:Haus cat:Katze'"),
        ("# mine\nhouse=>Haus cat=>Katze\ndog=>Hund cow=>Kuh\n", "2: '=>' stands inside each word"),
        ("house→Haus\n", "1: '→' stands inside each word"),
    ],
)
def test_pairs_that_a_mark_holds_together_are_refused(tmp_path, text, told):
    path = written(tmp_path / "d.txt", text)
    with pytest.raises(InputError, match=rf"d\.txt:{told}.* \(write one pair a line, with a tab"):
        read_dictionary(path)


def test_comments_and_a_header_are_no_pairs_and_are_named(tmp_path, caplog):
    counts = Counter()
    text = "# English German dictionary, 2019\n#English\tGerman\nhouse\tHaus\n#tag\tHashtag\n"
    path = written(tmp_path / "d.txt", text)
    assert read_dictionary(path, counts) == [("house", "Haus"), ("#tag", "Hashtag")]
    assert +counts == {"comments": 2}
    assert read_dictionary(written(tmp_path / "marks.txt", "# #\nhouse Haus\n")) == [
        ("#", "#"),
        ("house", "Haus"),
    ]
    header = written(tmp_path / "h.txt", "Source_word\ttarget_word\nsource\tQuelle\n")
    assert read_dictionary(header) == [("source", "Quelle")]
    assert "h.txt:1: 'Source_word\\ttarget_word' is taken for a header" in caplog.text
    assert "1 headers" in caplog.text


# Words that are written as they are read: without marks at their ends, entities, and U+200B.
WORD = st.text(
    st.characters(
        blacklist_categories=["Cs", "Cc"], blacklist_characters=" \ufeff\u2028\u2029\u200b&#/" + bitext.MARKS
    ),
    min_size=1,
)


@given(st.lists(st.tuples(WORD, WORD), min_size=1, unique=True))
def test_what_is_written_is_read(tmp_path_factory, pairs):
    path = tmp_path_factory.mktemp("d") / "d.txt"
    bitext.write_dictionary(path, pairs)
    assert read_dictionary(path) == pairs


@pytest.mark.parametrize("word", ["", "two words", "tab\there", "line\nend", "feed\fhere", "a\u2028b"])
def test_words_that_the_format_cannot_hold(tmp_path, word):
    with pytest.raises(InputError, match="cannot write"):
        bitext.write_dictionary(tmp_path / "d.txt", [("a", "b"), ("c", word)])
    assert list(tmp_path.iterdir()) == []


def test_ranks_count_distinct_sources():
    pairs = [("a", "1"), ("b", "2"), ("a", "3"), ("c", "4"), ("b", "5")]
    assert sources(pairs) == ["a", "b", "c"]
    assert bitext.select_sources(pairs, 1, 3) == [("b", "2"), ("c", "4"), ("b", "5")]


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
    for share in (0.0, 0.001, 1.0):
        with pytest.raises(ConfigError, match="both parts need one"):
            split_validation(pairs, share)


def test_same_surface_pairs_are_dropped_whatever_their_case():
    counts = Counter()
    pairs = [("hate", "hate"), ("Hand", "hand"), ("strasse", "Straße"), ("cat", "Katze")]
    assert bitext.drop_same_surface(pairs, counts) == [("cat", "Katze")]
    assert counts["same_surface"] == 3


def test_counts_survive_and_are_sorted(tmp_path: Path) -> None:
    bitext.write_counts(tmp_path / "c.tsv", {"b": 2, "a": 2, "\u2028": 1, "z": 9})
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


def test_what_is_written_is_read_again(tmp_path):
    path = tmp_path / "nli.tsv"
    assert write_pairs(path, PAIRS, NLI) == 3
    assert list(read_pairs(path, NLI)) == PAIRS
    assert path.read_text(encoding="utf-8").startswith("premise\thypothesis\tlabel\n")
    pairs = [SentencePair("e\u0301", "b", "1"), SentencePair("c", "d", "0")]
    write_pairs(path, pairs, PARAPHRASE)
    assert list(read_pairs(path, PARAPHRASE)) == [SentencePair("é", "b", "1"), pairs[1]]


HEADER = "premise\thypothesis\tlabel"


@pytest.mark.parametrize(
    ("lines", "line", "message"),
    [
        (["a\tb\tneutral"], 1, r"header \('a', 'b', 'neutral'\) where premise<TAB>hypothesis<TAB>label is "),
        ([HEADER, "a\tb"], 2, "2 columns where 3 are expected"),
        ([HEADER, "a\tb\tneutral\tx"], 2, "4 columns"),
        ([HEADER, "a\tb\tneutral", " \tb\tneutral"], 3, "empty premise"),
        ([HEADER, "a\tb\tcontradictory"], 2, "unknown label 'contradictory': the labels are entailment,"),
    ],
)
def test_malformations_are_named_with_their_line(tmp_path, lines, line, message):
    with pytest.raises(InputError, match=rf"^{tmp_path}/a\.tsv:{line}: {message}"):
        list(read_pairs(written(tmp_path / "a.tsv", "\n".join(lines) + "\n"), NLI))


def test_placeholder_labels_are_refused(tmp_path):
    path = written(tmp_path / "a.tsv", f"{HEADER}\n" + "a\tb\tneutral\n" * 5)
    with pytest.raises(InputError, match=r"all 5 labels are 'neutral'.*placeholder"):
        list(read_pairs(path, NLI))
    assert len(list(read_pairs(path, NLI, single_label=True))) == 5


def test_empty_files_are_refused_on_both_sides(tmp_path):
    with pytest.raises(InputError, match="no pairs"):
        list(read_pairs(written(tmp_path / "a.tsv", f"{HEADER}\n"), NLI))
    with pytest.raises(InputError, match="no pairs to write"):
        write_pairs(tmp_path / "b.tsv", [], NLI)
    assert not (tmp_path / "b.tsv").exists()


@pytest.mark.parametrize("pair", [("a\t", "b", "neutral"), ("a", "b\n", "neutral"), ("a", "b", "maybe")])
def test_what_the_format_cannot_hold_is_refused(tmp_path, pair):
    with pytest.raises(ValueError, match="no pair with a label of"):
        write_pairs(tmp_path / "b.tsv", [SentencePair(*pair)], NLI)


def test_sure_and_possible_links_by_hand(tmp_path):
    first, second = read_pharaoh(written(tmp_path / "links", "0-0 2p1 10-3\n\n"))
    assert first.sure == {(0, 0), (10, 3)}
    assert first.possible == {(0, 0), (10, 3), (2, 1)}
    assert second == Links.of([])


def test_written_in_order_and_sure_links_are_possible_ones(tmp_path):
    write_pharaoh(tmp_path / "links", [Links.of([(1, 0), (0, 2)], [(0, 1)]), [(2, 2)], []])
    assert (tmp_path / "links").read_text() == "0p1 0-2 1-0\n2-2\n\n"
    with pytest.raises(ValueError, match="not possible"):
        Links(frozenset([(0, 0)]), frozenset())


LINK = st.tuples(st.integers(0, 30), st.integers(0, 30))


@given(st.lists(st.builds(Links.of, st.lists(LINK), st.lists(LINK)), min_size=1))
def test_links_written_are_read(tmp_path_factory, alignments):
    path = tmp_path_factory.mktemp("links") / "links"
    write_pharaoh(path, alignments)
    assert read_pharaoh(path) == alignments


@pytest.mark.parametrize("item", ["0", "0-", "a-b", "-1-2", "0–1", "1 2 3", "1s2", "٠-١"])
def test_malformed_links_are_named(tmp_path, item):
    with pytest.raises(InputError, match=r"links:2: .* is no link"):
        read_pharaoh(written(tmp_path / "links", f"0-0\n{item}\n"))


def test_links_outside_the_sentences(tmp_path):
    path = written(tmp_path / "links", "0-0 1-1\n0-3\n")
    assert len(read_pharaoh(path, [(2, 2), (1, 4)])) == 2
    with pytest.raises(InputError, match=r"links:2: link 0-3 is outside a pair of 1 and 3 tokens"):
        read_pharaoh(path, [(2, 2), (1, 3)])
    with pytest.raises(InputError, match="2 lines of links for 3 sentence pairs"):
        read_pharaoh(path, [(2, 2), (1, 4), (1, 1)])


NUMBERED = {  # text, sizes, base; links, counts
    "in the order of their ids": (
        "0007 1 1 S\r\n0007 2 3 P\r\n9 1 2\r\n9 1 2\r\n0012 3 1 P\r\n0012 3 1 S\r\n9 2 1 P\r\n", None, 1,
        [Links.of([(0, 0)], [(1, 2)]), Links.of([(0, 1)], [(1, 0)]), Links.of([(2, 0)])], {"repeated_link": 2},
    ),
    "out of range": (
        "1 1 1\n1 1 -99\n1 0 2\n1 4 1\n1 1 5\n2 1 1\n", [(3, 4), (1, 1)], 1,
        [Links.of([(0, 0)]), Links.of([(0, 0)])], {"out_of_range": 4},
    ),
    "all of a pair out of range": (
        "1 9 9\n2 1 1\n", [(1, 1), (1, 1)], 1, [Links.of([]), Links.of([(0, 0)])], {"out_of_range": 1},
    ),
    "from zero": ("1 0 0\n", None, 0, [Links.of([(0, 0)])], {}),
    "ids are line numbers where the text is given": (
        "1 1 1\n1 2 2\n3 1 1\n", [(2, 2)] * 4, 1,
        [Links.of([(0, 0), (1, 1)]), Links.of([]), Links.of([(0, 0)]), Links.of([])], {},
    ),
    "which zeros may precede": (
        "0003 1 1\n0001 2 2\n", [(2, 2)] * 3, 1, [Links.of([(1, 1)]), Links.of([]), Links.of([(0, 0)])], {},
    ),
    "and otherwise names": ("1 1 1\n1 2 2\n3 1 1\n", None, 1, [Links.of([(0, 0), (1, 1)]), Links.of([(0, 0)])], {}),
}  # fmt: skip


@pytest.mark.parametrize("case", NUMBERED)
def test_numbered_links(tmp_path, case):
    text, sizes, base, links, counted = NUMBERED[case]
    counts, path = Counter(), written(tmp_path / "links", text)
    assert read_numbered_links(path, sizes, index_base=base, counts=counts) == links
    assert +counts == counted


@pytest.mark.parametrize("line", ["1 2", "1 2 3 X", "1 a 3", "1 2 3 S S", "1 2 S"])
def test_malformed_numbered_links(tmp_path, line):
    with pytest.raises(InputError, match="links:2: expected id, two numbers"):
        read_numbered_links(written(tmp_path / "links", f"1 1 1\n{line}\n"))


def test_no_links_and_too_few(tmp_path):
    with pytest.raises(InputError, match="no links"):
        read_numbered_links(written(tmp_path / "links", "\n"))
    with pytest.raises(InputError, match="links of 1 sentence pairs for 2"):
        read_numbered_links(written(tmp_path / "links", "9 1 1\n"), [(1, 1), (1, 1)])


def test_either_format_is_told_by_its_first_line(tmp_path):
    wanted = [Links.of([(0, 0)], [(1, 0)])]
    assert LinkFile.read(written(tmp_path / "links", "5 1 1 S\n5 2 1 P\n")).links() == wanted
    assert LinkFile.read(written(tmp_path / "links", "0-0 1p0\n")).links() == wanted
    assert LinkFile.read(written(tmp_path / "links", "\n0-0 1-0 2-2\n")).links()[0] == Links.of([])
