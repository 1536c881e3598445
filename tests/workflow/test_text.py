"""Jobs of text and dictionaries, by scale."""

import pytest

from configurations import Opener, planned
from crosslingua.errors import ConfigError
from crosslingua.workflow import labelled, text


def test_text_of_the_world_is_told_and_only_normalised(opened: Opener) -> None:
    w = opened()
    assert text.raw_text(w, "ana") == ["results/demo/corpora/world/ana.txt"]
    assert text.text_source(w, "ana") == {"tokeniser": "none"}
    assert text.text_reader(w, "ana").startswith("crosslingua.corpora.datasets")


def test_published_text_is_read_by_its_format(opened: Opener) -> None:
    small, paper = opened("small"), opened("paper")
    folder = "data/multi30k-task2"
    assert text.raw_text(small, "de.captions") == [f"{folder}/train.{i}.de.gz" for i in range(1, 6)]
    assert text.text_source(small, "fr.translated")["format"] == "lines"
    wikitext = text.text_source(small, "eng.wiki")
    assert (wikitext["member"], wikitext["tokeniser"]) == ("wikitext-2/wiki.train.tokens", None)
    assert text.raw_text(paper, "zh") == ["data/wikipedia/zhwiki.xml.bz2"]
    assert text.text_source(paper, "zh")["format"] == paper.datasets["wikipedia"].format != "lines"
    assert text.text_source(paper, "zh")["split_sentences"]
    assert text.text_reader(paper, "zh") != text.text_reader(small, "en")


def test_a_text_in_parts_is_made_of_them_as_they_were_prepared(opened: Opener) -> None:
    w = opened("small")
    assert text.raw_text(w, "es") == [
        f"results/small/corpora/text/es.{part}.txt" for part in ("news", "tatoeba")
    ]
    assert text.raw_text(w, "es", "_cased")[0] == "results/small/corpora/text_cased/es.news.txt"
    assert text.text_source(w, "es") == {"tokeniser": "none", "deduplicate": True}
    assert text.leave_out(w, "es") == []  # the parts are without them
    assert "results/small/corpora/bitext/en-es.newstest2013.es.txt" in text.leave_out(w, "es.tatoeba")
    assert text.raw_text(w, "es.news")[0] == "data/newstest-enes/news-test2008.spa"
    source = text.text_source(w, "es.tatoeba")
    assert (source["format"], source["member"], source["column"]) == ("lines", "spa-eng/spa.txt", 2)


def test_a_text_of_short_sentences_says_so_over_what_all_texts_are_told(opened: Opener) -> None:
    w = opened("small")
    for part, form in (("eng.wiki", "wikitext_csv"), ("eng.reuters", "conll2003")):
        told = text.text_settings(w, "_cased") | text.text_source(w, part)
        assert (told["format"], told["min_tokens"], told["max_tokens"]) == (form, 5, 20)
    assert (text.text_settings(w, "") | text.text_source(w, "en.wiki"))["max_tokens"] == 200


def test_a_star_stands_for_the_files_of_a_data_set(opened: Opener) -> None:
    w = opened("small")
    novels = text.raw_text(w, "en.novels")
    assert len(novels) == 45
    assert planned(text.text_plan(w, "en.novels", "_cased")) == [
        {"input": " ".join(novels), "without": " ".join(text.leave_out(w, "en.novels"))}
    ]
    sheet = opened.sheet("text\tsw\teltec-eng\t*.txt")
    with pytest.raises(ConfigError, match=r"no file of eltec-eng is like \*.txt: it has ENG"):
        opened("small", {"data": {"sheets": [sheet]}})


def test_parts_must_be_there(opened: Opener) -> None:
    sheet = opened.sheet("text\tsw\tparts\tsw.books")
    with pytest.raises(ConfigError, match=r"sw\.books"):
        opened("small", {"data": {"sheets": ["scales/small.tsv", sheet]}})


def test_a_file_of_another_data_set(opened: Opener) -> None:
    w = opened("small")
    assert labelled.parallel_files(w, "bitext", "en-fr.newstest2013") == [
        "data/newstest-ende/newstest2013.eng", "data/newstest-enfr/newstest2013.fra",
    ]  # fmt: skip


def test_your_own_text_has_the_tokeniser_that_you_name(opened: Opener) -> None:
    w = opened(change={"languages": {"sw": {"path": "my text.gz", "tokeniser": "whitespace"}}})
    assert text.raw_text(w, "sw") == ["my text.gz"]
    assert planned(text.text_plan(w, "sw", ""))[0]["input"] == "'my text.gz'"
    assert text.text_source(w, "sw") == {
        "format": "lines", "split_sentences": False, "member": None, "tokeniser": "whitespace",
    }  # fmt: skip


def test_encoders_read_text_with_its_case(opened: Opener) -> None:
    w = opened()
    assert text.text_of(w, "ana") == "results/demo/corpora/text/ana.txt"
    assert text.text_of(w, "ana", cased=True) == "results/demo/corpora/text_cased/ana.txt"
    assert text.text_settings(w, "") == w.config["text"]
    assert text.text_settings(w, "_cased") == w.config["text"] | {"lowercase": False}


@pytest.mark.parametrize(
    ("scale", "dictionary", "split", "expected", "form"),
    [
        ("small", "muse_full", "test", "data/muse-full/en-de.dict", "muse-full"),
        ("paper", "muse", "test", "data/muse/en-de.5000-6500.txt", "muse"),
    ],
)
def test_a_dictionary_is_a_file_of_the_pair(
    opened: Opener, scale: str, dictionary: str, split: str, expected: str, form: str
) -> None:
    w = opened(scale)
    assert text.dictionary_file(w, dictionary, split, "en", "de") == expected
    assert text.dictionary_format(w, dictionary) == w.datasets[form].format
    assert text.dictionary_reader(w, dictionary).startswith("crosslingua.corpora.datasets")


def test_your_own_dictionary_is_a_file_for_each_pair(opened: Opener) -> None:
    own = {"train": "mine/{source}-{target}.txt", "test": "mine/{target}.{source}"}
    w = opened(change={"dictionaries": own})
    assert text.dictionary_file(w, "own", "train", "ana", "ber") == "mine/ana-ber.txt"
    assert text.dictionary_file(w, "own", "test", "ana", "ber") == "mine/ber.ana"
    assert text.dictionary_format(w, "own") == "muse"
    assert text.dictionary_folder(w, "ana-ber.own") == "results/demo/corpora/dictionaries/ana-ber.own"


def test_what_is_fetched_is_the_text_of_the_pairs_and_their_dictionaries(opened: Opener) -> None:
    assert text.fetched_text(opened()) == []
    small = text.fetched_text(
        opened("small", {"pairs": ["en-fr"], "joint_align": {"translation": {"pairs": 1}}})
    )
    assert set(small) >= {
        "data/multi30k-task1/train.fr.gz",
        *(f"data/multi30k-task2/train.{i}.en.gz" for i in range(1, 6)),
        "data/manythings/fra-eng.zip",
        "data/muse-full/en-fr.dict",
    }
    assert not any(".de" in file or "eltec-deu" in file for file in small)
    own = {"train": "{source}.{target}", "test": "{target}.{source}"}
    change = {
        "languages": {"sw": {"path": "sw.txt"}},
        "pairs": ["sw-ana"],
        "dictionaries": own,
        "papers": ["joint_align"],
    }
    assert text.fetched_text(opened(change=change)) == []
    derived = opened("small", {"pairs": ["eng-eng_trans"], "papers": ["align_mlm"]})
    assert text.fetched_text(derived) == ["data/conll2003/conll2003.zip", "data/wikitext-2/wikitext-2-v1.zip"]
