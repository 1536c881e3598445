"""Hashes against Python's set, test sentences left out, words counted, and the scripts as programs."""

import gzip
import json
import os
import unicodedata
from multiprocessing.process import BaseProcess

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpora.archives import zipped
from crosslingua.corpora.counting import count_words, coverage
from crosslingua.corpora.datasets.readers import BITEXT_READERS, TEXT_READERS
from crosslingua.corpora.dictionaries import divide_dictionary
from crosslingua.corpora.pipeline import (
    Distinct,
    Rules,
    TextSide,
    hashes,
    held_out,
    normalise_line,
    punctuation_normaliser,
    sentence_key,
    split_sentences,
)
from crosslingua.corpora.text import prepare_bitext, prepare_text
from crosslingua.errors import InputError
from texts import written


@given(st.lists(st.lists(st.integers(0, 40), max_size=30), max_size=30))
def test_distinct_values_are_those_of_a_set(batches):
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


@pytest.mark.parametrize(("text", "sentences"), [
    ("a b . c d .", ["a b .", "c d ."]), ("a . . . b", ["a . . .", "b"]), ("a ... b", ["a ...", "b"]),
    ('He said : " go ! " Then', ['He said : " go ! "', "Then"]),
    ("no end", ["no end"]), (". a", [".", "a"]), ("U.S. and 3.5 stay", ["U.S. and 3.5 stay"]),
    ("是 的 。 好 ！ 」 嗎 ？", ["是 的 。", "好 ！ 」", "嗎 ？"]),
    ("यह है । वह है ।", ["यह है ।", "वह है ।"]),
])  # fmt: skip
def test_sentences_end_at_final_marks(text, sentences):
    assert [" ".join(tokens) for tokens in split_sentences(text.split())] == sentences


@given(st.lists(st.sampled_from(["a", ".", "!", '"', ")", "..."])))
def test_no_token_is_lost_and_no_sentence_empty(tokens):
    sentences = list(split_sentences(tokens))
    assert [token for sentence in sentences for token in sentence] == tokens
    assert all(sentences)


@pytest.mark.parametrize(("raw", "wanted", "replaced"), [
    ("plain text", "plain text", 0), ("  two  spaces \t and a tab ", "two spaces and a tab", 1),
    ("no\u00a0break\u2009thin\u3000wide", "no break thin wide", 3),
    ("line\u2028separator\u2029paragraph\u0085next\x0bvertical\x0cfeed\x1cfile",
     "line separator paragraph next vertical feed file", 6),
    ("क\u2003\u200c ख", "क ख", 1), ("ខ្ញុំ\u200bទៅ\u200bសាលា", "ខ្ញុំ ទៅ សាលា", 2), ("\u00a0\u200b", "", 2),
])  # fmt: skip
def test_other_white_space_becomes_a_counted_space(raw, wanted, replaced):
    assert normalise_line(raw)[::2] == (wanted, replaced)


@pytest.mark.parametrize(("raw", "wanted", "removed"), [
    ("Caf\u0065\u0301", "Caf\u00e9", 0),
    ("\u1100\u1161\u11a8", "\uac01", 0),  # Hangul jamo to a syllable
    ("zero\u200bwidth", "zero width", 0), ("\ufeffmark\ufeff inside", "mark inside", 2),
    ("soft\u00adhyphen", "softhyphen", 1), ("bell\x07 nul\x00 del\x7f c1\x9f", "bell nul del c1", 4),
    ("\u200eleft\u202aright\u2069", "leftright", 3),
    ("a\u200db", "ab", 1),  # a joiner between Latin letters is noise…
    ("क\u094d\u200dष", "क\u094d\u200dष", 0),  # …in Devanagari it spells
    ("می\u200cخواهم", "می\u200cخواهم", 0),  # …and in Persian
    ("👩\u200d🔬", "👩\u200d🔬", 0), ("\u200d start", "start", 1), ("\u2028\u200c", "", 1),
    ("क\u2003\u200c ख", "क ख", 1), ("e\u200d\u0301", "\u00e9", 1), ("", "", 0), ("\u00a0\u2060", "", 1),
    ("ﬁne ½ Ⅷ", "ﬁne ½ Ⅷ", 0),  # canonical, not compatibility, composition
])  # fmt: skip
def test_normalised_lines(raw, wanted, removed):
    assert normalise_line(raw)[:2] == (wanted, removed)


ODD = st.sampled_from(
    "\u200b\u200c\u200d\ufeff\u00a0\u2028\u00ad\x00\u0301\u0323e\u212b क\u094d\u1100\u1161 \u202a"
)
TEXT = st.lists(st.one_of(ODD, st.characters(blacklist_categories=["Cs"]))).map("".join)


@given(TEXT)
def test_normal_form_keeps_every_letter_and_nothing_that_is_invisible_or_doubled(text):
    def kept(line):  # up to composition
        line = unicodedata.normalize("NFD", line)
        return sorted(character for character in line if unicodedata.category(character)[0] in "LNPS")

    line = normalise_line(text)[0]
    assert normalise_line(line) == (line, 0, 0)
    assert unicodedata.is_normalized("NFC", line)
    assert not any(unicodedata.category(character) == "Cc" for character in line)
    assert line == " ".join(line.split())
    assert kept(line) == kept(text)


def test_punctuation_by_moses():
    assert punctuation_normaliser("en")("“Yes” – he’s ‘here’…") == "\"Yes\" - he's 'here'..."


def lines(path):
    return list(TEXT_READERS["lines"](str(path)))


@pytest.mark.parametrize(("code", "language", "pairs"), [("spa", "es", 539), ("nld", "nl", 376)])
def test_manythings_without_the_sentences_that_tatoeba_tests(mirror, tmp_path, code, language, pairs):
    tests = [mirror / "tatoeba-v1" / f"tatoeba.{code}-eng.{side}" for side in ("eng", code)]
    source = str(mirror / "manythings" / f"{code}-eng.zip")
    every = list(BITEXT_READERS["tab_pairs"]([source], ("en", language)))
    sides = [lines(path) for path in tests]
    assert len(set(zip(*sides, strict=True)) & set(every)) == pairs  # what is documented of this leak
    rules = Rules(
        (TextSide("en", "whitespace"), TextSide(language, "whitespace")),
        held_out=tuple(held_out([path]) for path in tests),
    )
    outs = [tmp_path / "a", tmp_path / "b"]
    report = prepare_bitext([source], rules, outs, "tab_pairs")
    assert report["dropped"]["held_out"] > pairs
    assert report["lines_out"] == len(every) - report["dropped"]["held_out"]
    for out, side in zip(outs, sides, strict=True):
        assert not {line.lower() for line in lines(out)} & {" ".join(line.split()).lower() for line in side}


def test_news_of_other_years_without_the_published_test_sets(mirror, tmp_path):
    tests = [mirror / "newstest-ende" / "newstest2016.eng", mirror / "newstest-enfr" / "newstest2014.eng"]
    years = [mirror / "newstest-ende" / f"newstest{year}.eng" for year in (2014, 2015)]
    rules = Rules((TextSide("en", "whitespace"),), held_out=(held_out(tests),))
    report = prepare_text(list(map(str, years)), rules, tmp_path / "out")
    assert len(set(lines(years[0])) & set(lines(tests[1]))) == 1503
    assert report["dropped"]["held_out"] >= 1503
    kept = {sentence_key(line) for line in lines(tmp_path / "out")}
    assert not kept & {sentence_key(line) for path in tests for line in lines(path)}


def test_words_are_counted_without_a_byte_order_mark(tmp_path):
    path = written(tmp_path / "text", "\ufeffa b a\n" + "c ü\n" * 1000)
    assert count_words(path) == {"a": 2, "b": 1, "c": 1000, "ü": 1000}


def test_no_more_processes_start_than_there_are_cores(tmp_path, monkeypatch):
    started = []
    start = BaseProcess.start
    monkeypatch.setattr(BaseProcess, "start", lambda process: started.append(process) or start(process))
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1})
    text, out = written(tmp_path / "text", "a b\n" * 1000), tmp_path / "out"
    rules = Rules((TextSide("en", "whitespace"),))
    assert prepare_text([str(text)], rules, out, threads=256)["lines_out"] == 1000
    assert len(started) == 2


@pytest.mark.parametrize("text", ["a b\rc\ra\r", "a b\rc\na", "a b\r\r\nc\r\r\na\r\r\n", "a b\n\ufeffc\na\n"])
def test_line_ends_and_byte_order_marks_are_in_no_word(tmp_path, text):
    for path in (written(tmp_path / "text", text), written(tmp_path / "a.gz", gzip.compress(text.encode()))):
        assert count_words(path) == {"a": 2, "b": 1, "c": 1}


CONTROLS = "\t\x0b\f\0\x1c\x85\u2028"


def test_errors(tmp_path):
    for text, message in (
        (b"fine\n" * 50 + b"bad \xff\n" + b"fine\n" * 50, "text:51: invalid UTF-8"),
        (" \n\n", "no words"),
        *(
            (f"fine\r\n\na{end}b c\n", r"text:3: the word 'a.*b' holds a control .*--tokeniser none")
            for end in CONTROLS
            if end != "\t"
        ),
        ("fine\r\n\na\tb c\n", r"text:3: a tab in a line of tokens: 'a\\tb c' .*--tokeniser none"),
    ):
        with pytest.raises(InputError, match=message):
            count_words(written(tmp_path / "text", text))
    with pytest.raises(InputError, match="no such file"):
        count_words(tmp_path / "none")
    assert count_words(written(tmp_path / "text", "a\u00a0b c\n")) == {"a\u00a0b": 1, "c": 1}


PAIRS = [("cat", "katze"), ("cat", "kater"), ("dog", "hund"), ("emu", "emu"), ("owl", "eule")]
SOURCE = {"cat": 9, "dog": 3, "emu": 1, "the": 50}
TARGET = {"kater": 5, "hund": 2, "emu": 7, "eule": 8}


@pytest.mark.parametrize(("least", "known", "covered", "source_words", "target_words"), [
    (1, 3, 3, 4, 4), (2, 2, 2, 3, 4), (3, 2, 1, 3, 3), (10, 0, 0, 1, 0),
])  # fmt: skip
def test_a_query_is_covered_with_one_of_its_translations(least, known, covered, source_words, target_words):
    found = coverage(PAIRS, SOURCE, TARGET, least)
    assert found == (4, known, covered, source_words, target_words)
    assert found.percent == 25 * covered
    with pytest.raises(ValueError, match="without pairs"):
        coverage([], SOURCE, TARGET, least)


def test_prepare_text(script, tmp_path):
    written(tmp_path / "a.txt", "Der Hund läuft.\nDer Hund läuft.\n")
    script(
        "prepare_text.py", "--input", "a.txt", "--language", "de", "--tokeniser", "moses", "--lowercase",
        "--max-tokens", 100, "--dedup", "--threads", 2, "--out", "text.txt", "--report", "report.json",
    )  # fmt: skip
    assert (tmp_path / "text.txt").read_text(encoding="utf-8") == "der hund läuft .\n"
    assert json.loads((tmp_path / "report.json").read_text())["dropped"]["duplicate"] == 1
    zipped(tmp_path / "a.zip", {"in/a.txt": "One. Two.\n"})
    common = ("--language", "en", "--out", "text.txt", "--report", "report.json")
    for source in (("a.zip", "--member", "in/a.txt"), ("a.zip::in/a.txt",)):
        script("prepare_text.py", "--input", *source, *common)
        assert (tmp_path / "text.txt").read_text() == "One . Two .\n"


def test_prepare_bitext_and_its_error(script, tmp_path):
    (tmp_path / "a.en").write_text("One.\nTwo.\n")
    (tmp_path / "a.de").write_text("Eins.\nZwei.\n")
    outs = ("--out-source", "s", "--out-target", "t", "--report", "r.json")
    common = ("prepare_bitext.py", "--languages", "en", "de", *outs)
    script(*common, "--input", "a.en", "a.de", "--take", 1)
    assert ((tmp_path / "s").read_text(), (tmp_path / "t").read_text()) == ("One .\n", "Eins .\n")
    (tmp_path / "s").rename(tmp_path / "first")
    (tmp_path / "plan.csv").write_text("input,without_source,without_target\na.en a.de,first,\n")
    script(*common, "--cells", "plan.csv")
    assert (tmp_path / "t").read_text() == "Zwei .\n"
    (tmp_path / "a.de").write_text("Eins.\n")
    result = script(*common, "--input", "a.en", "a.de", status=1)
    assert "error: a.de: has 1 lines, but a.en has 2" in result.stderr


def test_prepare_dictionary(script, tmp_path):
    (tmp_path / "d.tsv").write_text("".join(f"W{index}\tT{index}\n" for index in range(10)))
    (tmp_path / "test.tsv").write_text("w1\tT\nX\tY\n")  # lower case brings w1 into both
    outs = [word for name in ("train", "fit", "validation", "test") for word in (f"--out-{name}", name)]
    common = ("--format", "xling_eval", "--lowercase", "--train", "d.tsv")
    script(
        "prepare_dictionary.py", *common, "--test", "test.tsv", "--validation-share", 0.2, *outs, "--report", "r.json"
    )  # fmt: skip
    train, fit, held, test = ((tmp_path / name).read_text().splitlines() for name in outs[1::2])
    assert train == [f"w{index} t{index}" for index in range(10)]
    assert (len(fit), len(held)) == (8, 2)
    assert sorted(fit + held) == train
    assert test == ["x y"]
    report = json.loads((tmp_path / "r.json").read_text())
    assert list(report) == outs[1::2]
    assert report["test"] == {"pairs": 1, "sources": 1, "dropped": {"duplicate": 0, "excluded": 1}}
    script("prepare_dictionary.py", "--test", "test.tsv", "--out-test", "alone")
    assert (tmp_path / "alone").read_text() == "w1 T\nX Y\n"
    failed = script("prepare_dictionary.py", *common, "--out-fit", "x", status=1)
    assert "error: --out-fit needs --train and --validation-share" in failed.stderr
    (tmp_path / "lower.tsv").write_text("".join(f"w{index}\tt{index}\n" for index in range(10)))
    same = script("prepare_dictionary.py", *common, "--test", "lower.tsv", "--out-test", "x", status=1)
    assert "lower.tsv: no pair is left" in same.stderr
    assert "'excluded': 10} (excluded: source words of the training dictionary" in same.stderr


def test_half_of_the_source_words_of_pooled_files_train_and_the_others_test(tmp_path):
    """Of 40 source words in two files, each with two translations; a third file repeats some of them."""
    words = [f"w{index}" for index in range(40)]
    for name, part in (("one", words[:25]), ("two", words[25:]), ("three", words[:9])):
        lines = [f"{word}\t{word}{sense}\n" for word in part for sense in "ab"]
        (tmp_path / name).write_text("".join(lines))
    files = [str(tmp_path / name) for name in ("one", "two", "three")]
    made = divide_dictionary(files, files, 0.25, format="xling_eval")
    parts = {name: pairs for name, (pairs, _) in made.items()}
    assert {name: len(set(dict(pairs))) for name, pairs in parts.items()} == {
        "train": 20, "fit": 15, "validation": 5, "test": 20
    }  # fmt: skip
    assert sorted(parts["train"] + parts["test"]) == sorted((w, w + sense) for w in words for sense in "ab")
    assert sorted(parts["fit"] + parts["validation"]) == sorted(parts["train"])
    again = divide_dictionary(files, files, 0.25, format="xling_eval", seed=1)
    assert {*again["test"][0]} != {*parts["test"]}


def test_fewer_training_words_are_among_more_and_the_test_set_stays(tmp_path):
    (tmp_path / "all").write_text("".join(f"w{n}\ta\nw{n}\tb\n" for n in range(60)))
    made = {
        words: divide_dictionary(
            [str(tmp_path / "all")], [str(tmp_path / "all")], 0.5, words, format="xling_eval"
        )
        for words in (4, 10, 99, None)
    }
    sizes = {words: len(dict(parts["train"][0])) for words, parts in made.items()}
    assert sizes == {4: 4, 10: 10, 99: 30, None: 30}
    assert {*made[4]["train"][0]} < {*made[10]["train"][0]} < {*made[99]["train"][0]}
    assert len(dict(made[10]["fit"][0])) == 5
    assert all(parts["test"] == made[None]["test"] for parts in made.values())


def test_linked_words_of_bitext_train_but_for_those_of_the_test_set(script, tmp_path):
    """Half of ten words test, whichever; the bitext links all ten, and ten more."""
    written(tmp_path / "all", "".join(f"w{n}\tt{n}\n" for n in range(10)))
    written(tmp_path / "s", "".join(f"W{n} V{n}\n" for n in range(10)))
    written(tmp_path / "t", "".join(f"x{n} y{n}\n" for n in range(10)))
    written(tmp_path / "links", "0-0 1-1\n" * 10)
    outs = [word for name in ("train", "fit", "validation", "test") for word in (f"--out-{name}", name)]
    own = [
        "--format",
        "xling_eval",
        "--train",
        "all",
        "--test",
        "all",
        "--lowercase",
        "--validation-share",
        0.2,
        *outs,
    ]
    linked = ["--bitext", "s", "t", "--links", "links"]
    script("prepare_dictionary.py", *own)
    before = (tmp_path / "test").read_text()
    script("prepare_dictionary.py", *own, *linked, "--report", "r.json")
    assert (tmp_path / "test").read_text() == before
    tested = {line.split()[0] for line in before.splitlines()}
    wanted = [f"w{n} x{n}" for n in range(10) if f"w{n}" not in tested] + [f"v{n} y{n}" for n in range(10)]
    train = (tmp_path / "train").read_text().splitlines()
    assert sorted(train) == sorted(wanted)
    assert json.loads((tmp_path / "r.json").read_text())["train"]["dropped"] == {"excluded": 5}
    parts = [(tmp_path / name).read_text().splitlines() for name in ("fit", "validation")]
    assert [len(part) for part in parts] == [12, 3]
    assert sorted(parts[0] + parts[1]) == sorted(train)
    failed = script("prepare_dictionary.py", *own, *linked[:3], status=1)
    assert "--bitext and --links need each other" in failed.stderr
    written(tmp_path / "links", "\n" * 10)
    failed = script("prepare_dictionary.py", *own, *linked, status=1)
    assert "tests each of the 0 words that the bitext links (give more bitext," in failed.stderr


def test_prepare_gold_alignment(script, tmp_path, mirror):
    archive = mirror / "word-alignments" / "alignment-test-sets.tar.gz"
    script(
        "prepare_gold_alignment.py", "--archive", archive, "--pair", "ro-en",
        "--out-source", "s", "--out-target", "t", "--out-links", "links", "--report", "r.json",
    )  # fmt: skip
    assert len((tmp_path / "links").read_text().splitlines()) == 199
    report = json.loads((tmp_path / "r.json").read_text())
    assert report == {"pairs": 199, "sure": 5033, "possible": 5033, "dropped": {"repeated_link": 1}}


def test_fetch_from_a_mirror_and_by_hand(script, tmp_path):
    listed = script("fetch_dataset.py", "--list").stdout
    assert "\nmulti30k-task2\ttext\ten,de\t" in listed
    (tmp_path / "mine").write_text("not it")
    mine = ("--supplied", "mine", "--data-dir", "data")
    for arguments, message in (
        (("muse-full",), "muse-full has en-de.dict"),
        (("muse-ful",), "error: unknown data set 'muse-ful'"),
        (("muse-full", *mine, "--file", "en-de.dict"), "error: mine: wrong SHA-256: expected e5921b2d"),
        (("xling-eval", *mine, "--all"), "say which with --file"),
    ):
        assert message in script("fetch_dataset.py", "--dataset", *arguments, status=1).stderr


def test_fetch_whole_data_set(script, tmp_path, mirror):
    arguments = ("--dataset", "muse-full", "--all", "--data-dir", "data", "--mirror", mirror)
    fetched = {f"data/muse-full/{path.name}" for path in (mirror / "muse-full").iterdir()}
    for _ in range(2):
        assert set(script("fetch_dataset.py", *arguments).stdout.splitlines()) == fetched
    assert (tmp_path / "data/muse-full/en-de.dict").stat().st_size == 1_945_993
