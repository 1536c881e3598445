"""Jobs of text and dictionaries, by scale."""

from __future__ import annotations

import pytest

from configurations import Opener
from crosslingua.workflow import text


def test_text_of_the_world_is_told_and_only_normalised(opened: Opener) -> None:
    w = opened()
    assert text.raw_text(w, "ana") == ["results/demo/corpora/world/ana.txt"]
    assert text.text_source(w, "ana") == {"tokeniser": "none"}
    assert text.text_reader(w, "ana").startswith("crosslingua.corpora.datasets")


def test_published_text_is_read_by_its_format(opened: Opener) -> None:
    small, paper = opened("small"), opened("paper")
    folder = "data/multi30k-task2"
    assert text.raw_text(small, "de") == [f"{folder}/train.{i}.de.gz" for i in range(1, 6)]
    assert text.text_source(small, "fr")["format"] == "lines"
    wikitext = text.text_source(small, "eng")
    assert (wikitext["member"], wikitext["tokeniser"]) == ("wikitext-2/wiki.train.tokens", None)
    assert text.raw_text(paper, "zh") == ["data/wikipedia/zhwiki.xml.bz2"]
    assert text.text_source(paper, "zh")["format"] == paper.datasets["wikipedia"].format != "lines"
    assert text.text_source(paper, "zh")["split_sentences"]
    assert text.text_reader(paper, "zh") != text.text_reader(small, "en")


def test_your_own_text_has_the_tokeniser_that_you_name(opened: Opener) -> None:
    w = opened(change={"languages": {"sw": {"path": "my text.gz", "tokeniser": "whitespace"}}})
    assert text.raw_text(w, "sw") == ["my text.gz"]
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
        ("small", "xling_eval", "train", "data/xling-eval/yacle.train.freq.5k.en-de.tsv", "xling-eval"),
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
    small = text.fetched_text(opened("small", {"pairs": ["en-fr"]}))
    assert small == [
        "data/multi30k-task1/train.fr.gz",
        *(f"data/multi30k-task2/train.{i}.en.gz" for i in range(1, 6)),
        "data/muse-full/en-fr.dict",
        "data/xling-eval/yacle.test.freq.2k.en-fr.tsv",
        "data/xling-eval/yacle.train.freq.5k.en-fr.tsv",
    ]
    own = {"train": "{source}.{target}", "test": "{target}.{source}"}
    change = {
        "languages": {"sw": {"path": "sw.txt"}},
        "pairs": ["sw-ana"],
        "dictionaries": own,
        "papers": ["joint_align"],
    }
    assert text.fetched_text(opened(change=change)) == []
    derived = opened("small", {"pairs": ["eng-eng_trans"], "papers": ["align_mlm"]})
    assert text.fetched_text(derived) == ["data/wikitext-2/wikitext-2-v1.zip"]
