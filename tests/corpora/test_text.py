"""Preparing text and bitext: reports that add up, the same bytes on any number of processes; tokenisers."""

import gzip
import marshal
import os
import random
import re
import sys
import tempfile
import unicodedata
from collections import Counter
from functools import cache
from typing import get_args

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sacremoses import MosesTokenizer

import texts
from crosslingua.corpora import pipeline
from crosslingua.corpora.pipeline import Rules, TextSide, held_out, normalise_line
from crosslingua.corpora.text import parse_part, prepare_bitext, prepare_text
from crosslingua.corpora.tokenise import TOKENISERS, default_tokeniser, tokeniser
from crosslingua.errors import ConfigError, InputError
from crosslingua.io.decode import decoded_lines
from crosslingua.workflow.sections import LanguageSection
from missing import Missing

made = cache(tokeniser)
library = cache(lambda language: MosesTokenizer(lang=language))


def written(path, text):
    return str(texts.written(path, text))


def prepared(tmp_path, text, rules, **options):
    """Prepare the text of one file; return what was written, and the report."""
    report = prepare_text([written(tmp_path / "in.txt", text)], rules, tmp_path / "out.txt", **options)
    return (tmp_path / "out.txt").read_text(), report


def text_rules(tokeniser="whitespace", lowercase=False, **rules):
    return Rules((TextSide("en", tokeniser, lowercase),), **rules)


def test_one_file_by_hand(tmp_path):
    source = "\ufeffThe  Cat\u00a0sat.\r\n\n a b c d e f\nThe Cat sat.\nNaïve\u200b x\n"
    rules = text_rules("moses", lowercase=True, max_tokens=5)
    text, report = prepared(tmp_path, source, rules, dedup=True)
    assert text == "the cat sat .\nnaïve x\n"
    assert report == {
        "inputs": ["in.txt"], "tokenisers": ["moses"], "min_tokens": 1, "max_tokens": 5, "max_ratio": None,
        "split_sentences": False,
        "lines_in": 5, "lines_out": 2,
        "dropped": {"empty": 1, "too_short": 0, "too_long": 1, "too_unequal": 0, "low_margin": 0, "held_out": 0,
                    "duplicate": 1, "not_taken": 0},
        "sentences_split": 0, "removed_characters": 0, "replaced_spaces": 2, "replaced_characters": 0,
        "sides": [{"language": "en", "tokeniser": "moses", "lowercase": True, "punctuation": False,
                   "tokens": 6, "types": 6}],
    }  # fmt: skip


def test_text_about_entities_stays_in_formats_of_markup(tmp_path):
    units = "<tu><tuv xml:lang='en'><seg>type &amp;eacute; or &lt;</seg></tuv>"
    units += "<tuv xml:lang='de'><seg>&amp;eacute; oder &lt; tippen</seg></tuv></tu>"
    written(tmp_path / "m.tmx", f"<tmx><body>{units}</body></tmx>")
    rules = Rules((TextSide("en", "whitespace"), TextSide("de", "whitespace")))
    outs = [tmp_path / "en", tmp_path / "de"]
    report = prepare_bitext([str(tmp_path / "m.tmx")], rules, outs, format="tmx")
    assert [out.read_text() for out in outs] == ["type &eacute; or <\n", "&eacute; oder < tippen\n"]
    assert "decoded_entities" not in report


def test_entities_of_html_are_decoded_and_counted_in_text_and_bitext(tmp_path):
    source = "I don &apos;t know &quot; him &quot; .\nRock &amp;amp; Roll &#91; live &#93;\nfine\n"
    text, report = prepared(tmp_path, source, text_rules())
    assert text == 'I don \'t know " him " .\nRock & Roll [ live ]\nfine\n'
    assert report["decoded_entities"] == 6
    sides = [
        written(tmp_path / name, text) for name, text in (("a", "A &lt; B\n"), ("b", "x &quot;y&quot;\n"))
    ]
    rules = Rules((TextSide("en", "whitespace"), TextSide("de", "whitespace")))
    outs = tmp_path / "out.a", tmp_path / "out.b"
    report = prepare_bitext(sides, rules, outs)
    assert [out.read_text() for out in outs] == ["A < B\n", 'x "y"\n']
    assert report["decoded_entities"] == 3
    assert "decoded_entities" not in prepared(tmp_path, "fine & well\n", text_rules())[1]
    held = held_out([written(tmp_path / "test.txt", "don&apos;t go\n")])
    assert prepared(tmp_path, "Don't go!\nI go\n", text_rules(held_out=(held,)))[0] == "I go\n"


def test_columns_are_no_sentences_unless_one_is_named(tmp_path):
    source = "0\tI am .\n1\tYou are .\n"
    with pytest.raises(InputError, match=r"in.txt:1: every line has a tab: .* prepare-text --column 2"):
        prepared(tmp_path, source, text_rules())
    assert prepared(tmp_path, source, text_rules(), column=2)[0] == "I am .\nYou are .\n"
    text, report = prepared(tmp_path, "I\tam .\nYou are .\n", text_rules())
    assert (text, report["replaced_spaces"]) == ("I am .\nYou are .\n", 1)
    sides = [written(tmp_path / name, source) for name in ("a", "b")]
    with pytest.raises(InputError, match=r"a:1: every line has a tab"):
        prepare_bitext(sides, Rules((TextSide("en", "whitespace"),) * 2), (tmp_path / "x", tmp_path / "y"))


def test_a_large_file_that_is_no_text_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr(pipeline, "SHARD_BYTES", 20)
    with pytest.raises(InputError, match="is JSON lines"):
        prepared(tmp_path, '{"text": "the cat"}\n' * 50, text_rules())


def test_sentences_of_so_many_tokens_stay_whatever_they_were_split_from(tmp_path):
    source = "One two. One two three four. One.\n\nOne two three four five six .\n"
    rules = text_rules("moses", split_sentences=True, min_tokens=3, max_tokens=5)
    text, report = prepared(tmp_path, source, rules)
    assert text == "One two .\nOne two three four .\n"
    assert +Counter(report["dropped"]) == {"empty": 1, "too_short": 1, "too_long": 1}
    assert (report["lines_in"], report["sentences_split"]) == (3, 2)


def test_held_out_sentences_are_left_out_in_any_case_and_punctuation(tmp_path):
    test = written(tmp_path / "test.txt", "Well - known dogs bark !\n...\nNaïve, 1,000 x\n")
    source = "Well-known dogs bark.\nWell-known dogs barked.\nnaïve 1 000 X\n...\nGood . Naïve, 1,000 x\n"
    # where lines are split into sentences, these are what counts
    for split, number in ((True, 3), (False, 2)):
        rules = text_rules(split_sentences=split, held_out=(held_out([test]),))
        text, report = prepared(tmp_path, source, rules)
        assert report["dropped"]["held_out"] == number
    assert text == "Well-known dogs barked.\n...\nGood . Naïve, 1,000 x\n"


def test_a_pair_goes_if_either_side_is_held_out(tmp_path):
    sides = [written(tmp_path / "a", "One.\nTwo.\nSix.\n"), written(tmp_path / "b", "Un.\nDeux.\nSix !\n")]
    test = held_out([written(tmp_path / "c", "deux\n")]), held_out([written(tmp_path / "d", "one\n")])
    for keys, left in ((test, "One.\nTwo.\nSix.\n"), (test[::-1], "Six.\n")):
        rules = Rules((TextSide("en", "whitespace"), TextSide("fr", "whitespace")), held_out=keys)
        report = prepare_bitext(sides, rules, [tmp_path / "x", tmp_path / "y"])
        assert (tmp_path / "x").read_text() == left
        assert report["dropped"]["held_out"] == 3 - left.count("\n")


def test_one_column_of_lines_with_tabs(tmp_path):
    source = "Go.\tVa !\nHi.\tSalut.\tby me\n"
    assert prepared(tmp_path, source, text_rules(), column=2)[0] == "Va !\nSalut.\n"
    with pytest.raises(InputError, match=r"in\.txt:1: 2 columns where column 3 is wanted"):
        prepared(tmp_path, source, text_rules(), column=3)


def random_text(lines=3000):
    generator = random.Random(1)
    words = [f"w{index}" for index in range(300)] + ["", "\u00a0", "\u200b"]
    return "".join(" ".join(generator.choices(words, k=generator.randrange(6))) + "\n" for _ in range(lines))


@pytest.fixture
def small_batches(monkeypatch):
    monkeypatch.setattr(pipeline, "BATCH_LINES", 100)


def test_the_number_of_processes_changes_nothing(tmp_path, small_batches):
    options = {"rules": text_rules(max_tokens=4), "dedup": True, "take": 1500}
    one, three = (prepared(tmp_path, random_text(), threads=threads, **options) for threads in (1, 3))
    assert one == three


@pytest.mark.parametrize("dedup", [False, True])
@pytest.mark.parametrize("take", [None, 40, 1501, 10**6])
def test_the_report_is_that_of_the_text(tmp_path, small_batches, dedup, take):
    text, report = prepared(tmp_path, random_text(), text_rules(max_tokens=4), dedup=dedup, take=take)
    lines = text.splitlines()
    clean = [" ".join(line.replace("\u200b", "").split()) for line in random_text().splitlines()]
    wanted = [line for line in clean if 0 < len(line.split()) <= 4]
    wanted = list(dict.fromkeys(wanted)) if dedup else wanted
    assert lines == wanted[:take]
    assert report["lines_out"] == len(lines)
    assert report["lines_in"] == report["lines_out"] + sum(report["dropped"].values())
    tokens = [token for line in lines for token in line.split()]
    assert (report["sides"][0]["tokens"], report["sides"][0]["types"]) == (len(tokens), len(set(tokens)))


def test_a_part_of_each_input(tmp_path):
    inputs = [written(tmp_path / name, "".join(f"{name}{index}\n" for index in range(5))) for name in "ab"]
    prepare_text(inputs, text_rules(), tmp_path / "out", part=parse_part("2/3"))
    assert (tmp_path / "out").read_text().split() == ["a1", "a4", "b1", "b4"]


@pytest.mark.parametrize("part", ["0/2", "3/2", "1", "a/b", "1/0"])
def test_impossible_parts(part):
    with pytest.raises(ConfigError, match="say K/N"):
        parse_part(part)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("division", ["BATCH_LINES", "SHARD_BYTES"])
def test_invalid_bytes_name_the_line_of_the_file_and_leave_no_file(tmp_path, monkeypatch, division, threads):
    monkeypatch.setattr(pipeline, division, 100)
    source = b"fine\n" * 500 + b"bad \xff\n"
    with pytest.raises(InputError, match=r"in\.txt:501: invalid UTF-8.*--errors replace") as caught:
        prepared(tmp_path, source, text_rules(), threads=threads)
    assert (caught.value.path, caught.value.line) == (str(tmp_path / "in.txt"), 501)
    assert [path.name for path in tmp_path.iterdir()] == ["in.txt"]
    _, report = prepared(tmp_path, source, text_rules(), errors="replace", threads=threads)
    assert report["replaced_characters"] == 1


def test_empty_files_and_texts(tmp_path):
    full, empty = written(tmp_path / "full", "a\n"), written(tmp_path / "empty", "")
    with pytest.raises(InputError, match=r"empty: empty file"):
        prepare_text([full, empty], text_rules(), tmp_path / "out.txt")
    with pytest.raises(InputError, match=r"no sentence is left of 2: 2 empty .give text with words"):
        prepared(tmp_path, " \n\u00a0\n", text_rules())
    assert not (tmp_path / "out.txt").exists()


def test_what_stands_in_the_place_of_an_empty_text_stays(tmp_path):
    written(tmp_path / "out.txt", "before\n")
    (tmp_path / "link").symlink_to("out.txt")
    (tmp_path / "device").symlink_to(os.devnull)
    empty, places = written(tmp_path / "in.txt", " \n"), ("out.txt", "link", "device")
    for name in places:
        with pytest.raises(InputError, match="no sentence is left of 1"):
            prepare_text([empty], text_rules(), tmp_path / name)
    assert [(tmp_path / name).is_symlink() for name in places] == [False, True, True]
    assert (tmp_path / "link").read_text() == "before\n"


def test_bitext_keeps_pairs_together(tmp_path):
    english = written(tmp_path / "a.en", "A b c.\n\nlong long long long\nsame\nsame\nw x y z\nsame\n")
    german = written(tmp_path / "a.de", "Ä.\nleer\nkurz\ngleich\ngleich\nu v\nanders\n")
    rules = Rules((TextSide("en", "moses", True), TextSide("de", "moses", True)), max_tokens=5, max_ratio=3)
    outs = (tmp_path / "out.en", tmp_path / "out.de")
    report = prepare_bitext([english, german], rules, outs, dedup=True)
    assert outs[0].read_text() == "a b c .\nsame\nw x y z\nsame\n"
    assert outs[1].read_text() == "ä .\ngleich\nu v\nanders\n"
    assert [report["dropped"][reason] for reason in ("empty", "too_unequal", "duplicate")] == [1, 1, 1]
    assert [side["tokens"] for side in report["sides"]] == [10, 6]


def test_bitext_of_unequal_lengths_leaves_nothing(tmp_path):
    sources = [written(tmp_path / "a.en", "a\nb\n"), written(tmp_path / "a.de", "a\n")]
    rules = Rules((TextSide("en", "none"), TextSide("de", "none")))
    with pytest.raises(InputError, match=r"a\.de: has 1 lines, but .*a\.en has 2"):
        prepare_bitext(sources, rules, (tmp_path / "x", tmp_path / "y"))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.de", "a.en"]


def lines_of_every_kind(lines=400):
    generator = random.Random(1)
    words = ["Größe", "日本", "a.b", "U.S.", "x\u200b", "é", "🙂", "'tis", "No.", "5,000", "\xa0", "\r"]
    made = [" ".join(generator.choices(words, k=generator.randrange(9))) for _ in range(lines)]
    return [line + "\r" * (index % 3 == 0) for index, line in enumerate(made)]


@pytest.mark.parametrize("size", [1, 7, 64, 5000])
@pytest.mark.parametrize("end", ["\n", "", "\r\n"])
def test_shards_are_the_lines_of_the_file_wherever_their_borders_fall(tmp_path, monkeypatch, size, end):
    """Borders of 1 and 7 bytes fall inside characters, and most of 64 inside lines."""
    source = written(tmp_path / "in.txt", "\ufeff" + "\n".join(lines_of_every_kind()) + end)
    monkeypatch.setattr(pipeline, "SHARD_BYTES", size)
    made = pipeline.shards(source, "strict")
    assert [shard.start for shard in made[1:]] == [shard.end for shard in made[:-1]]
    assert len(made) > (200 if size == 1 else 1)
    found = [line for shard in made for (line,) in shard.records(Counter())]
    assert found == list(decoded_lines(source))


@pytest.mark.parametrize("take", [None, 150])
def test_shards_and_processes_change_nothing(tmp_path, monkeypatch, take):
    text = "\n".join(lines_of_every_kind()).encode() + b"\nbad \xff\n"
    source = written(tmp_path / "in.txt", text)
    compressed = written(tmp_path / "in.txt.gz", gzip.compress(text))  # is never read in shards
    rules = text_rules("moses", lowercase=True, max_tokens=9)
    results = []
    for name, size, threads in (
        (compressed, 1, 1), (source, 1 << 20, 1), (source, 200, 1), (source, 200, 2), (source, 37, 4)
    ):  # fmt: skip
        monkeypatch.setattr(pipeline, "SHARD_BYTES", size)
        options = {"dedup": True, "take": take, "threads": threads, "errors": "replace"}
        report = prepare_text([name], rules, tmp_path / "out", **options)
        results.append(((tmp_path / "out").read_bytes(), report | {"inputs": None}))
    texts, reports = zip(*results, strict=True)
    assert set(texts) == {texts[0]}
    assert reports[0]["dropped"]["duplicate"] > 10
    # Where `take` ends the text, the report counts the lines of the last shard.
    assert all(report == reports[0] for report in reports) if take is None else reports[2] == reports[3]


def test_a_file_of_one_line_and_streams_have_no_shards(tmp_path, monkeypatch):
    monkeypatch.setattr(pipeline, "SHARD_BYTES", 4)
    for end in ("\n", "\r"):
        assert prepared(tmp_path, f"one a\rtwo{end}three", text_rules())[0] == "one a\ntwo\nthree\n"
    for source in (f"{tmp_path}/in.txt", "a.txt.gz", "a.zip::b.txt", str(tmp_path)):
        assert pipeline.shards(source, "strict") == []


@pytest.mark.parametrize(("name", "language", "text", "tokens"), [
    ("moses", "en", "This, is a sentence with weird\xbb symbols\u2026 appearing everywhere\xbf",
     "This , is a sentence with weird \xbb symbols \u2026 appearing everywhere \xbf"),
    ("moses", "en", "Mr. O'Neill paid $5,300.50 at 9.30 a.m. in the U.S.",
     "Mr. O 'Neill paid $ 5,300.50 at 9.30 a.m. in the U.S."),
    ("moses", "en", "A man, a dog.", "A man , a dog ."),
    ("moses", "en", "Wait... [what] <now> & then|so?", "Wait ... [ what ] < now > & then | so ?"),
    ("moses", "de", "Er wohnt in der Hauptstr. 5, oder?", "Er wohnt in der Hauptstr . 5 , oder ?"),
    ("moses", "fr", "L'homme n'est qu'un roseau.", "L' homme n' est qu' un roseau ."),
    ("moses", "yo", "Ọlọ́run sọ fún Ṣọ̀yìnká pé", "Ọlọ́run sọ fún Ṣọ̀yìnká pé"),
    ("moses", "nv", "Diné bizaad ą́ą́.", "Diné bizaad ą́ą́ ."),
    ("moses", "fa", "می‌خواهم کتاب‌ها را.", "می‌خواهم کتاب‌ها را ."),
    ("moses", "hi", "(हिन्दी) भाषा में", "( हिन्दी ) भाषा में"),
    ("moses", "bn", "ভাষায় শিক্ষার্থী!", "ভাষায় শিক্ষার্থী !"),
    ("moses", "si", "සිංහල ශිෂ්‍යයා.", "සිංහල ශිෂ්‍යයා ."),
    ("moses", "ml", "മലയാളം വിദ്യാർത്ഥി.", "മലയാളം വിദ്യാർത്ഥി ."),
    *[("jieba", code, "我来到北京清华大学", "我 来到 北京 清华大学") for code in ("zh-TW", "zh")],
    ("jieba", "zh", "他用 Python 3 写", "他 用 Python 3 写"), ("newmm", "th", "ผม ไป", "ผม ไป"),
    ("newmm", "th", "โอเคบ่พวกเรารักภาษาบ้านเกิด", "โอเค บ่ พวกเรา รัก ภาษา บ้านเกิด"),
    ("janome", "ja", "すもももももももものうち", "すもも も もも も もも の うち"),
    *[(name, "xx", "already split , here .", "already split , here .") for name in ("whitespace", "none")],
])  # fmt: skip
def test_documented_examples(name, language, text, tokens):
    assert made(name, language)(text) == tokens.split(" ")


@pytest.mark.parametrize("name", TOKENISERS)
def test_tokens_hold_no_spaces_and_an_empty_line_none(name):
    if name == "icu":
        pytest.importorskip("icu", reason="PyICU is built against the system's ICU")
    tokenise = made(name, {"jieba": "zh", "newmm": "th", "janome": "ja", "icu": "km"}.get(name, "en"))
    assert tokenise("") == []
    tokens = tokenise("a b 2,5 ก ข 日本 x.")
    assert all(token and " " not in token for token in tokens)
    assert "".join(tokens) == "ab2,5กข日本x."


LETTERS = [*"abZéßŒ字5९ -,.'’`\"&|[]<>@#MULTIDOT", "Mr.", "z.B.", "No.", "DOTMULTI", ", ", ". "]
STOPS = "Mr. No. Art. U.S. z.B. 1. A. .a. ß. 日. a b 5 5th ² ٣ Ä ö 'x x' , . .. ... -"
TEXTS = st.one_of(
    st.lists(st.sampled_from(LETTERS), max_size=20).map("".join),
    st.lists(st.sampled_from(STOPS.split()), max_size=8).map(" ".join),
)


@settings(max_examples=300)
@given(TEXTS, st.sampled_from(["en", "de", "fr", "ro", "ru", "tr", "zh"]))
def test_the_shortcut_of_moses_gives_the_librarys_tokens(text, language):
    text = normalise_line(text)[0]
    assert made("moses", language)(text) == library(language).tokenize(text, escape=False)


def is_part_of_words(character):  # what the library splits off and the suite does not
    return unicodedata.category(character)[0] == "M" or character in "\u200c\u200d"


@settings(max_examples=200)
@given(st.text(max_size=30), st.sampled_from(["en", "de"]))
def test_the_shortcut_on_arbitrary_text(text, language):
    text = normalise_line(text)[0]
    assume(not any(map(is_part_of_words, text)))
    assert made("moses", language)(text) == library(language).tokenize(text, escape=False)


@pytest.mark.parametrize("language", ["en", "de", "fr"])
def test_the_shortcut_on_real_sentences(mirror, language):
    with gzip.open(mirror / "multi30k-task1" / f"train.{language}.gz", "rt", encoding="utf-8") as stream:
        lines = [normalise_line(line)[0] for line in stream][:6000]
    tokenise, whole = made("moses", language), library(language)
    assert list(map(tokenise, lines)) == [whole.tokenize(line, escape=False) for line in lines]


DEFAULTS = {
    "moses": "en hy hsb eng", "jieba": "zh zh_CN zh-tw yue", "newmm": "th tha", "janome": "ja", "whitespace": "ana",
    "icu": "km lo mya",
}  # fmt: skip


@pytest.mark.parametrize("name", DEFAULTS)
def test_defaults_by_language(name):
    assert {default_tokeniser(language) for language in DEFAULTS[name].split()} == {name}


@pytest.mark.parametrize(("name", "language", "package", "extra"), [
    ("jieba", "zh", "jieba", "chinese"), ("newmm", "th", "pythainlp", "thai"),
    ("janome", "ja", "janome", "japanese"), ("icu", "km", "icu", "icu"),
])  # fmt: skip
def test_a_tokeniser_whose_package_is_missing(monkeypatch, name, language, package, extra):
    for module in [loaded for loaded in sys.modules if loaded.partition(".")[0] == package]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setattr(sys, "meta_path", [Missing(package), *sys.meta_path])
    message = f"tokeniser {name}: the package {package} is not installed: pip install 'crosslingua[{extra}]'"
    with pytest.raises(ConfigError, match=f"^{re.escape(message)}$"):
        tokeniser(name, language)


def test_jieba_believes_no_cache_in_a_folder_of_all_users(tmp_path, monkeypatch):
    pytest.importorskip("jieba")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    planted = marshal.dumps(({"我来到北京清华大学": 10**9}, 10**9))
    texts.written(tmp_path / "jieba.cache", planted)
    assert tokeniser("jieba", "zh")("我来到北京清华大学") == ["我", "来到", "北京", "清华大学"]
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {"jieba.cache": planted}


def test_a_tokeniser_of_another_language():
    with pytest.raises(ConfigError, match="jieba is made for zh, not for de"):
        tokeniser("jieba", "de")
    with pytest.raises(ConfigError, match="did you mean 'moses'"):
        tokeniser("mose", "de")


def test_a_configuration_may_name_every_tokeniser():
    assert set(get_args(LanguageSection.model_fields["tokeniser"].annotation)) == {*TOKENISERS}
