"""Every file set of a scale's data."""

import re
from collections import Counter
from dataclasses import replace

import pytest

from configurations import Opener
from crosslingua.tasks import kinds
from crosslingua.tasks.kinds import KINDS
from crosslingua.workflow import labelled
from crosslingua.workflow.labelled import (
    file_sets,
    is_read,
    labelled_path,
    parallel_paths,
    trees_path,
    world_path,
)

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
    sheet = opened.sheet("pos\txx\tconll2003\t\t\tvalid\tlanguage=en universal=true")
    sets = file_sets(opened(change={"data": {"sheets": [sheet]}}))
    (made,) = [made for made in sets if (made.task, made.name) == ("pos", "xx")]
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
    assert (world_path("pos", "ana", "test"), world_path("ner", "ana", "test")) == (
        "pos/ana.test.conllu",
        "ner/ana.test.conll",
    )
    assert trees_path("pos", "ana", "valid") == "pos/ana.valid.conllu"
    assert trees_path("ner", "ana", "valid") == "trees/ner/ana.valid.conllu"
    assert trees_path("text", "ana", "") == "trees/text/ana.conllu"
    texts = ["bitext/en-de.x.en.txt", "bitext/en-de.x.de.txt"]
    assert parallel_paths("bitext", "en-de.x", {"from": "europarl"}) == texts
    assert parallel_paths("bitext", "en-de.x", {"from": "world"}) == [*texts, "bitext/en-de.x.links"]
    assert parallel_paths("gold_alignment", "a-b", {"from": "x"})[2:] == ["gold_alignment/a-b.links"]


def test_which_sets_a_reader_makes() -> None:
    assert [is_read("ner", {"from": origin}) for origin in ("world", "file", "conll2003")] == [
        False,
        True,
        True,
    ]
    assert is_read("pos", {"from": "world"})
    assert not is_read("pos", {"derived_from": "ana"})


def test_another_kind_of_task_is_one_record(opened: Opener, monkeypatch: pytest.MonkeyPatch) -> None:
    variants = (("easy", "valid"), ("hard", "train"))
    terms = replace(KINDS["ner"], name="terms", title="Terms", short="terms", variants=variants)
    monkeypatch.setitem(kinds.KINDS, "terms", terms)
    sheet = opened.sheet("terms\tsv\tfile\ta.conll\tb.conll\tc.conll\tformat=conll")
    change = {"world": {"tasks": {"terms": [5, 2, 3]}}, "data": {"sheets": [sheet]}}
    w = opened(change=change)
    assert w.sources.sets["terms"]["ber"] == {"from": "world", "train": 5, "valid": 2, "test": 3}
    easy, hard = (w.sources.sets["terms"][f"ber_{variant}"] for variant, _ in variants)
    assert (easy["train"], easy["test"], hard["train"], hard["variant"], hard["language"]) == (
        2,
        3,
        5,
        "hard",
        "ber",
    )
    assert w.sources.origin("terms", "ana_trans") == "derived"
    paths = {path for made in file_sets(w) if made.task == "terms" for path in made.files}
    assert {"terms/sv.train.conll", "terms/fyr.valid.conll", "terms/ana_trans_syn.test.conll"} <= paths
    assert "terms/ber" in labelled.generated_sets(w)
    assert "terms/sv" in labelled.read_sets(w).split("|")
    assert "terms/ana_trans" in labelled.derived_sets(w).split("|")
    assert labelled.world_module("terms/ber") == "crosslingua.corpora.world.dependencies"
    assert labelled.labelled_options(w, "terms/sv", "test") == {
        "task": "terms", "language": "sv", "input": ["c.conll"], "format": "conll",
    }  # fmt: skip


def test_what_a_kind_is_told_as_is_of_its_record(opened: Opener, monkeypatch: pytest.MonkeyPatch) -> None:
    """The world's parts of speech come as trees, of which a reader makes the contract's files."""
    told = replace(KINDS["ner"], name="terms", title="Terms", short="terms", told_as="raw")
    monkeypatch.setitem(kinds.KINDS, "terms", told)
    w = opened(change={"world": {"tasks": {"terms": [5, 2, 3]}}})
    assert world_path("terms", "ber", "test") == "terms/ber.test.raw"
    assert labelled.labelled_files(w, "terms/ber", "test") == [f"{w.corpora}/terms/ber.test.raw"]
    assert re.match(labelled.generated_sets(w), "terms/ber.test.raw")
    assert {"terms/ber", "pos/ber"} <= set(labelled.read_sets(w).split("|"))
    assert "ner/ber" not in labelled.read_sets(w).split("|")
    reports = {made.report for made in file_sets(w) if (made.task, made.name) == ("terms", "ber")}
    assert "terms/ber.test.conll.report.json" in reports
