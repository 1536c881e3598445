"""Sets of labelled data and parallel text: every file set of a scale's data, and which a list takes."""

from collections import Counter
from typing import Any

import pytest

from configurations import Opener
from crosslingua.tasks.kinds import KINDS
from crosslingua.workflow import labelled
from crosslingua.workflow.labelled import file_sets, labelled_path, parallel_paths, trees_path, world_path

EVERY_TASK = {"text", "dictionary", "bitext", "gold_alignment", *KINDS}


@pytest.mark.parametrize("scale", ["", "tiny", "full", "small", "paper"])
def test_a_scale_has_data_of_every_task_each_file_once(opened: Opener, scale: str) -> None:
    w = opened(scale)
    sets = list(file_sets(w))
    assert {made.task for made in sets} == EVERY_TASK
    files = [file for made in sets for file in made.files]
    assert max(Counter(files).values()) == 1
    assert labelled.all_data(w) == [f"{w.corpora}/{file}" for file in files]
    reports = [made.report for made in sets if made.report]
    assert labelled.all_reports(w) == [f"{w.corpora}/{report}" for report in reports]
    assert not set(reports) & set(files)


def test_the_world_needs_no_download_and_published_sets_do(opened: Opener) -> None:
    assert labelled.all_fetched(opened()) == []
    small = labelled.all_fetched(opened("small"))
    assert {"data/conll2003/conll2003.zip", "data/universal-tagset/universal_tagset.zip"} <= set(small)
    assert {"data/wikitext-2/wikitext-2-v1.zip", "data/muse-full/en-de.dict"} <= set(small)
    assert small == sorted(set(small))


def test_of_the_world_the_languages_with_text_and_the_language_pairs(opened: Opener) -> None:
    sets = list(file_sets(opened("tiny")))
    named = {task: {made.name for made in sets if made.task == task} for task in EVERY_TASK}
    assert named["text"] == {"ana", "ber", "ana_trans", "ana_trans_inv", "ana_trans_syn"}
    assert named["ner"] == named["text"]
    kinds = ("translated", "long", "short")
    assert named["qa"] == named["text"] | {f"{name}_{kind}" for name in ("ana", "ber") for kind in kinds}
    assert named["slots"] == named["text"] | {"ana_translated", "ber_translated"}
    assert named["bitext"] == named["gold_alignment"] == {"ana-ber"}
    assert named["dictionary"] == {"ana-ber.world"}


def test_a_published_set_names_its_files_and_only_its_splits(opened: Opener) -> None:
    sheet = opened.with_sheet("pos\txx\tconll2003\t\t\tvalid\tlanguage=en universal=true")
    (made,) = [made for made in file_sets(opened(change=sheet)) if (made.task, made.name) == ("pos", "xx")]
    assert (made.files, made.split) == (("pos/xx.test.conll",), "test")
    assert (made.languages, made.report) == (("en",), "pos/xx.test.conll.report.json")
    assert set(made.inputs) == {("conll2003", "conll2003.zip"), ("universal-tagset", "universal_tagset.zip")}


def test_derived_sets_have_the_splits_of_their_parents(opened: Opener) -> None:
    made = [made for made in file_sets(opened()) if (made.task, made.name) == ("nli", "ana_trans")]
    assert [each.split for each in made] == ["train", "valid", "test"]
    assert [each.report for each in made] == [None] * 3


def test_where_files_lie() -> None:
    assert labelled_path("nli", "de", "test") == "nli/de.test.tsv"
    assert labelled_path("qa", "de", "test") == "qa/de.test.json"
    assert world_path("pos", "ana", "test") == "pos/ana.test.conllu"
    assert world_path("ner", "ana", "test") == "ner/ana.test.conll"
    assert trees_path("pos", "ana", "valid") == "pos/ana.valid.conllu"
    assert trees_path("ner", "ana", "valid") == "trees/ner/ana.valid.conllu"
    assert trees_path("text", "ana", "") == "trees/text/ana.conllu"
    texts = ["bitext/en-de.x.en.txt", "bitext/en-de.x.de.txt"]
    assert parallel_paths("bitext", "en-de.x", {"from": "europarl"}) == texts
    assert parallel_paths("bitext", "en-de.x", {"from": "world"}) == [*texts, "bitext/en-de.x.links"]
    assert parallel_paths("gold_alignment", "a-b", {"from": "x"})[2:] == ["gold_alignment/a-b.links"]


def test_the_two_sides_of_a_pair_and_files_of_data_sets(opened: Opener) -> None:
    w = opened("small")
    files = [f"results/small/corpora/bitext/en-de.valid.{language}.txt" for language in ("en", "de")]
    assert [labelled.side_of(w, "bitext", "en-de.valid", side) for side in (0, 1)] == files
    assert labelled.sides(w, "bitext", ["en-de.valid"]) == {"en-de.valid": files}
    w = opened(change={"data": {"folder": "/big disk"}})
    assert labelled.fetched(w, [("a", "x.zip")]) == ["/big disk/a/x.zip"]


@pytest.mark.parametrize(
    ("named", "expected"),
    [
        (None, ["ber", "cor", "dax"]),
        (2, ["ber", "cor"]),
        (9, ["ber", "cor", "dax"]),
        (["dax", "eno"], ["dax", "eno"]),
        (["pairs", "eno"], ["ber", "cor", "dax", "eno"]),
        (["dax", "pairs"], ["dax", "ber", "cor"]),
        ([], []),
    ],
)
def test_a_key_takes_what_pairs_give_or_some_of_it_or_names_sets(named: Any, expected: list[str]) -> None:
    assert labelled.chosen(named, ["ber", "cor", "dax"]) == expected
    assert labelled.chosen(named, []) == (labelled.by_name(named) if isinstance(named, list) else [])


def test_a_training_set_is_transferred_to_sets_with_its_labels(opened: Opener) -> None:
    expected = {
        ("ner", "en"): ["de", "es", "nl"],  # no French but of other names
        ("ner", "en_panx"): ["de_panx", "fr_panx", "es_panx", "nl_panx"],
        ("slots", "en_facebook"): ["es_facebook"],
        ("slots", "en_snips"): [],
        ("slots", "en_snips_as_xsid"): ["de_xsid", "nl_xsid"],
        ("pos", "eng"): ["de_universal", "es", "nl"],  # universal tags, whatever the name
        ("pos", "en_conll2003"): ["de_universal", "es", "nl"],
        ("pos", "en"): ["de"],  # not universal: Spanish and Dutch of this name have other tags
        ("ner", "ana"): [],  # not there
    }
    w = opened("small")
    assert {(task, name): labelled.transferred(w, task, name) for task, name in expected} == expected
