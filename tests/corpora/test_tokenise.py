"""Tokenisers: documented examples of the libraries, and Moses's shortcut against the library."""

import gzip
import json
import sys
import unicodedata
from functools import cache

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sacremoses import MosesTokenizer

from crosslingua.corpora.pipeline import normalise_line
from crosslingua.corpora.tokenise import TOKENISERS, default_tokeniser, tokeniser
from crosslingua.errors import ConfigError
from missing import Missing

made = cache(tokeniser)
library = cache(lambda language: MosesTokenizer(lang=language))


@pytest.mark.parametrize(
    ("name", "language", "text", "tokens"),
    [
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
        ("jieba", "zh-TW", "我来到北京清华大学", "我 来到 北京 清华大学"),
        ("jieba", "zh", "我来到北京清华大学", "我 来到 北京 清华大学"),
        ("jieba", "zh", "他用 Python 3 写", "他 用 Python 3 写"),
        ("newmm", "th", "โอเคบ่พวกเรารักภาษาบ้านเกิด", "โอเค บ่ พวกเรา รัก ภาษา บ้านเกิด"),
        ("newmm", "th", "ผม ไป", "ผม ไป"),
        ("janome", "ja", "すもももももももものうち", "すもも も もも も もも の うち"),
        ("whitespace", "xx", "already split , here .", "already split , here ."),
        ("none", "xx", "already split , here .", "already split , here ."),
    ],
)  # fmt: skip
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


LETTERS = st.sampled_from(
    [*list("abZéßŒ字5९ -,.'’`\"&|[]<>@#MULTIDOT"), "Mr.", "z.B.", "No.", "DOTMULTI", ", ", ". "]
)


@settings(max_examples=400, deadline=None)
@given(st.lists(LETTERS, max_size=20).map("".join), st.sampled_from(["en", "de", "fr", "ro", "tr"]))
def test_the_shortcut_of_moses_gives_the_librarys_tokens(text, language):
    text, _ = normalise_line(text)
    assert made("moses", language)(text) == library(language).tokenize(text, escape=False)


def is_part_of_words(character):  # what the library splits off and the suite does not
    return unicodedata.category(character)[0] == "M" or character in "\u200c\u200d"


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=30), st.sampled_from(["en", "de"]))
def test_the_shortcut_on_arbitrary_text(text, language):
    text, _ = normalise_line(text)
    assume(not any(map(is_part_of_words, text)))
    assert made("moses", language)(text) == library(language).tokenize(text, escape=False)


STOPS = "Mr. No. Art. U.S. z.B. 1. A. .a. ß. 日. a b 5 5th ² ٣ Ä ö 'x x' , . .. ... -"


@settings(max_examples=400, deadline=None)
@given(
    st.lists(st.sampled_from(STOPS.split()), max_size=8).map(" ".join),
    st.sampled_from(["en", "de", "fr", "ro", "zh", "ru"]),
)
def test_full_stops_as_in_the_library(text, language):
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


@pytest.mark.parametrize(
    ("name", "language", "package", "extra"),
    [
        ("jieba", "zh", "jieba", "chinese"),
        ("newmm", "th", "pythainlp", "thai"),
        ("janome", "ja", "janome", "japanese"),
        ("icu", "km", "icu", "icu"),
    ],
)
def test_a_tokeniser_whose_package_is_missing(monkeypatch, name, language, package, extra):
    for module in [loaded for loaded in sys.modules if loaded.partition(".")[0] == package]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setattr(sys, "meta_path", [Missing(package), *sys.meta_path])
    message = (
        rf"^tokeniser {name}: the package {package} is not installed: pip install 'crosslingua\[{extra}\]'$"
    )
    with pytest.raises(ConfigError, match=message):
        tokeniser(name, language)


def test_a_tokeniser_of_another_language():
    with pytest.raises(ConfigError, match="jieba is made for zh, not for de"):
        tokeniser("jieba", "de")
    with pytest.raises(ConfigError, match="did you mean 'moses'"):
        tokeniser("mose", "de")


def test_a_configuration_may_name_every_tokeniser(repository):
    schema = json.loads((repository / "schemas/config.schema.json").read_text())
    language = schema["properties"]["languages"]["additionalProperties"]["properties"]
    assert set(language["tokeniser"]["enum"]) == {*TOKENISERS}
