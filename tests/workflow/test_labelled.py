"""Jobs of labelled data and parallel text: constraints of wildcards, files, options, plans."""

import re
from pathlib import Path
from typing import Any

import pytest

from configurations import Opener, planned
from crosslingua.workflow import labelled

DEMO, SMALL = "results/demo/corpora", "results/small/corpora"


def matches(constraint: str, text: str) -> bool:
    return re.fullmatch(constraint, text) is not None


def test_names() -> None:
    assert labelled.either(["a", "b"]) == "a|b"
    assert not matches(labelled.either([]), "")
    assert labelled.task_and_name("ner/de_x") == ("ner", "de_x")


@pytest.mark.parametrize(
    ("path", "generated"),
    [
        ("ner/ana.train.conll", True),
        ("pos/ana.train.conllu", True),
        ("pos/ana.train.conll", False),
        ("nli/ber.valid.tsv", True),
        ("slots/ber_translated.test.conll", True),
        ("ner/ana_trans.train.conll", False),
    ],
)
def test_the_world_generates_its_sets_before_they_are_read(
    opened: Opener, path: str, generated: bool
) -> None:
    pattern = rf"({labelled.generated_sets(opened())})[.](train|valid|test)[.](conll|conllu|tsv|json)"
    assert matches(pattern, path) is generated


def test_each_set_is_made_in_one_way(opened: Opener) -> None:
    demo, small = opened(), opened("small")
    assert set(labelled.read_sets(demo).split("|")) == {
        f"pos/{name}" for name in ("ana", "ber", "cor", "dax", "eno", "fyr")
    }
    assert {"ner/en", "pos/eng", "qa/es"} <= set(labelled.read_sets(small).split("|"))
    assert not matches(labelled.generated_sets(small), "ner/en")
    derived = set(labelled.derived_sets(small).split("|"))
    assert {"ner/eng_trans", "nli/eng_trans_inv_50"} <= derived
    assert not derived & set(labelled.read_sets(small).split("|"))


def test_how_the_world_tells_a_set(opened: Opener) -> None:
    w = opened()
    told = {"seed": 1, "language": "ber", "split": ["train", "valid", "test"]}
    assert labelled.world_options(w, "ner/ber") == told | {"variant": None, "sentences": [1500, 300, 600]}
    translated = labelled.world_options(w, "slots/ber_translated")
    assert translated == told | {"variant": "translated", "sentences": [2000, 300, 600]}
    assert labelled.world_module("slots/ber") == "crosslingua.corpora.world.slots"
    assert labelled.world_pair_options(w, "bitext", "ana-ber") == {
        "seed": 1,
        "sentences": 10000,
        "split": None,
    }
    assert labelled.world_pair_options(w, "gold_alignment", "ana-ber") == {
        "seed": 1, "sentences": 500, "split": "test",
    }  # fmt: skip


def test_how_a_published_split_is_read(opened: Opener) -> None:
    w = opened("small", {"data": {"seed": 9}})
    assert labelled.labelled_files(w, "pos/eng", "test") == [
        "data/conll2003/conll2003.zip",
        "data/universal-tagset/universal_tagset.zip",
    ]
    assert labelled.labelled_options(w, "pos/eng", "valid") == {
        "task": "pos", "language": "en", "dataset": "conll2003", "split": "valid", "data_dir": "data", "seed": 9,
        "universal": "data/universal-tagset/universal_tagset.zip", "slots_as": None,
    }  # fmt: skip
    german = labelled.labelled_options(w, "ner/de", "test")
    assert (german["dataset"], german["split"], german["universal"]) == ("germeval2014", "valid", None)


def test_parts_of_speech_of_the_world_are_read_from_its_trees(opened: Opener) -> None:
    w = opened()
    trees = f"{DEMO}/pos/ana.valid.conllu"
    assert labelled.labelled_files(w, "pos/ana", "valid") == [trees]
    assert labelled.labelled_options(w, "pos/ana", "valid") == {
        "task": "pos", "language": "ana", "input": [trees], "format": "conllu",
    }  # fmt: skip


def test_a_derived_language_is_spelled_alike_in_its_text_and_tasks(opened: Opener) -> None:
    w = opened()
    common = {"transform": "trans_inv", "overlap": 0.25, "words": "whitespace", "seed": 1, "script": "hangul"}
    assert labelled.text_derivation(w, "ana_trans_inv_25", "") == common | {"lowercase_trees": False}
    assert labelled.derivation_of_set(w, "ner/ana_trans_inv_25") == {"kind": "ner", **common}
    small = opened("small")
    kept = {"transform": "trans", "overlap": 0.0, "seed": 1, "script": "hangul"}
    assert labelled.derivation_of_set(small, "nli/eng_trans") == {
        "kind": "nli",
        **kept,
        "words": "punctuation",
    }
    assert labelled.derivation_of_set(small, "ner/eng_trans") == {
        "kind": "ner",
        **kept,
        "words": "whitespace",
    }


def test_real_text_is_parsed_by_a_parser_of_a_treebank(opened: Opener) -> None:
    w = opened("small")
    folder = "results/small/corpora"
    made = w.sources.languages["eng_trans_syn"]
    assert labelled.trees(w, made) == [f"{folder}/parsed/text/eng.conllu"]
    assert labelled.set_trees(w, "pos/eng_trans_syn") == [
        f"{folder}/parsed/pos/eng.{split}.conllu" for split in ("train", "valid", "test")
    ]
    assert labelled.parser_of(w, "eng") == f"{folder}/parser/en.parser"
    assert labelled.treebank(w, "en") == ["data/ud-english-partut/en_partut-ud-train.conllu"]
    assert labelled.treebank(w, "de_gsd") == ["data/ud-german-gsd/de_gsd-ud-dev.conllu"]
    assert labelled.parsed_texts(w) == "eng"
    assert labelled.parsed_texts(opened()) == "(?!)"
    assert labelled.parsed_options("ner") == {"kind": "ner", "words": "whitespace"}
    # as its derivation finds words
    assert (
        labelled.parsed_options("nli")["words"] == labelled.derivation_of_set(w, "nli/eng_trans_syn")["words"]
    )
    assert labelled.treebank(opened("paper"), "fr")[0].endswith(
        "v2.5.tgz::ud-treebanks-v2.5/UD_French-GSD/fr_gsd-ud-train.conllu"
    )
    assert labelled.treebank_files(opened("paper"), "fr") == ["data/ud-2.5/ud-treebanks-v2.5.tgz"]
    assert labelled.treebank(opened(), "cor") == [f"{DEMO}/pos/cor.train.conllu"]


def test_a_transformation_of_syntax_needs_an_order_and_trees(opened: Opener) -> None:
    w = opened()
    order = f"{DEMO}/word_order/cor.json"
    made = w.sources.languages["ana_trans_syn"]
    assert labelled.word_order(w, made) == [order]
    assert labelled.trees(w, made) == [f"{DEMO}/trees/text/ana.conllu"]
    assert labelled.set_trees(w, "pos/ana_trans_syn")[0] == f"{DEMO}/pos/ana.train.conllu"
    assert labelled.set_trees(w, "ner/ana_trans_syn")[2] == f"{DEMO}/trees/ner/ana.test.conllu"
    derived = labelled.text_derivation(w, "ana_trans_syn", "")
    assert (derived["order"], derived["lowercase_trees"]) == (order, True)
    assert derived["trees"] == labelled.trees(w, made)
    assert labelled.text_derivation(w, "ana_trans_syn", "_cased")["lowercase_trees"] is False
    plain = w.sources.languages["ana_trans"]
    assert (
        labelled.word_order(w, plain)
        == labelled.trees(w, plain)
        == labelled.set_trees(w, "ner/ana_trans")
        == []
    )


def test_a_derived_set_is_a_cell_a_split(opened: Opener) -> None:
    w = opened()
    cells = planned(labelled.derivation_plan(w, "nli/ana_trans_syn"))
    assert cells == [
        {
            "input": f"{DEMO}/nli/ana.{split}.tsv",
            "out": f"{DEMO}/nli/ana_trans_syn.{split}.tsv",
            "report": f"{DEMO}/nli/ana_trans_syn.{split}.tsv.report.json",
            "trees": f"{DEMO}/trees/nli/ana.{split}.conllu",
        }
        for split in ("train", "valid", "test")
    ]
    assert [cell["input"] for cell in cells] == labelled.parent_files(w, "nli/ana_trans_syn")
    assert {cell["trees"] for cell in planned(labelled.derivation_plan(w, "nli/ana_trans"))} == {""}


@pytest.mark.parametrize(
    ("path", "published"),
    [
        ("en-de.en.txt", True),
        ("en-de.test2016.en.txt", True),
        ("en-de.test2016.report.json", True),
        ("de-en.tatoeba.de.txt", True),
        ("de-en.de.txt", False),
        ("en-de.test2018.en.txt", False),
    ],
)
def test_a_pair_is_told_by_its_name(opened: Opener, path: str, published: bool) -> None:
    source = labelled.parallel_sets(opened("small"), "bitext", "file", "published")
    rest = r"-[a-z0-9_]+([.][a-z0-9_]+)?[.](links|report[.]json|[a-z0-9_]+[.]txt)"
    assert matches(f"({source}){rest}", path) is published


def test_your_own_pair_takes_the_place_of_the_worlds_and_of_no_other_task(opened: Opener) -> None:
    sheet = opened.sheet("bitext\tana-ber\tfile\ta b\t\t\t")
    task = labelled.world_parallel(opened(change={"data": {"sheets": [sheet]}}))
    told = {name: bool(re.match(f"({task})/", name)) for name in (
        "bitext/ana-ber.ana.txt", "bitext/ana-cor.cor.txt", "gold_alignment/ana-ber.links")}  # fmt: skip
    assert list(told.values()) == [False, True, True]


def test_parallel_text_is_read_from_its_files(opened: Opener) -> None:
    sheet = opened.sheet(
        "bitext\tsw-en\tfile\ta.sw a.en\t\t\ttake=10", "bitext\tsw-en.two\tfile\tb\t\t\tformat=moses_zip"
    )
    w = opened("small", {"data": {"sheets": ["scales/small.tsv", sheet]}})
    assert labelled.parallel_files(w, "bitext", "sw-en") == ["a.sw", "a.en"]
    assert labelled.bitext_options(w, "sw-en") == {
        "format": "parallel_lines", "max_tokens": 200, "take": 10, "part": None,
    }  # fmt: skip
    assert planned(labelled.bitext_plan(w, "sw-en")) == [
        {"input": "a.sw a.en", "without_source": "", "without_target": " ".join(labelled.held_out(w, "en"))}
    ]
    assert labelled.bitext_format(w, "sw-en.two") == "moses_zip"
    folder = "data/multi30k-task1"
    assert labelled.parallel_files(w, "bitext", "en-fr.valid") == [
        f"{folder}/val.en.gz",
        f"{folder}/val.fr.gz",
    ]
    assert labelled.parallel_files(w, "gold_alignment", "ro-en") == [
        "data/word-alignments/alignment-test-sets.tar.gz"
    ]
    assert labelled.bitext_options(w, "en-fr")["format"] == w.datasets["multi30k-task1"].format
    assert labelled.bitext_reader(w, "en-fr").startswith("crosslingua.corpora.datasets")
    paper = opened("paper")
    assert labelled.bitext_options(paper, "de-en.europarl") == {
        "format": paper.datasets["europarl"].format, "max_tokens": 1000, "take": 30000, "part": None,
    }  # fmt: skip
    (files,) = planned(labelled.bitext_plan(paper, "de-en.europarl"))
    assert files["without_source"].split() == labelled.held_out(paper, "de")


def test_what_tests_or_validates_is_held_out_of_training_text_and_bitext(opened: Opener) -> None:
    w = opened("small")
    folder = "results/small/corpora"
    held = labelled.held_out(w, "de")
    assert f"{folder}/bitext/en-de.newstest2016.de.txt" in held
    assert f"{folder}/bitext/en-de.valid.de.txt" in held
    assert f"{folder}/bitext/de-en.tatoeba.de.txt" in held
    assert f"{folder}/gold_alignment/de-en.de.txt" in held
    assert not any("manythings" in path or path.endswith("en-de.de.txt") for path in held)
    assert labelled.held_out(w, "de.novels") == held
    assert labelled.held_out_sides(w, "en-de.manythings") == (labelled.held_out(w, "en"), held)
    assert labelled.held_out_text(w, "en-de.manythings") == [*labelled.held_out(w, "en"), *held]
    assert labelled.held_out_sides(w, "en-de.newstest2016") == ([], [])
    assert labelled.held_out_text(w, "en-de.newstest2016") == []
    assert labelled.held_out(w, "nl") == [f"{folder}/bitext/nl-en.tatoeba.nl.txt"]
    assert labelled.held_out(opened(), "ana") == []


def test_the_two_sides_of_a_pair(opened: Opener) -> None:
    w = opened("small")
    files = [f"{SMALL}/bitext/en-de.valid.en.txt", f"{SMALL}/bitext/en-de.valid.de.txt"]
    assert [labelled.side_of(w, "bitext", "en-de.valid", side) for side in (0, 1)] == files
    assert labelled.sides(w, "bitext", ["en-de.valid"]) == {"en-de.valid": files}


def test_the_files_of_data_sets_lie_in_the_data_folder(opened: Opener) -> None:
    w = opened(change={"data": {"folder": "/big disk"}})
    assert labelled.fetched(w, [("a", "x.zip")]) == ["/big disk/a/x.zip"]


def test_an_edited_table_of_splits_is_for_published_sets(opened: Opener, repository: Path) -> None:
    small, demo = opened("small"), opened()
    (table,) = labelled.table_of_splits(small, "ner/es")
    assert "conll2002" in (repository / table).read_text()
    assert labelled.table_of_splits(demo, "pos/ana") == []


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


@pytest.mark.parametrize(
    ("task", "trained", "expected"),
    [
        ("ner", "en", ["de", "es", "nl"]),  # no French but of other names
        ("ner", "en_panx", ["de_panx", "fr_panx", "es_panx", "nl_panx"]),
        ("slots", "en_facebook", ["es_facebook"]),
        ("slots", "en_snips", []),
        ("slots", "en_snips_as_xsid", ["de_xsid", "nl_xsid"]),
        ("pos", "eng", ["de_universal", "es", "nl"]),  # universal tags, whatever the name
        ("pos", "en_conll2003", ["de_universal", "es", "nl"]),
        ("pos", "en", ["de"]),  # not universal: Spanish and Dutch of this name have other tags
        ("ner", "ana", []),  # not there
    ],
)
def test_a_training_set_is_transferred_to_sets_with_its_labels(
    opened: Opener, task: str, trained: str, expected: list[str]
) -> None:
    assert labelled.transferred(opened("small"), task, trained) == expected
