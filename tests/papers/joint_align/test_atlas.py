"""The cards of the atlas: their jobs, and what a card says against values worked by hand."""

import json
from pathlib import Path

import pytest

from configurations import Opener, jobs
from crosslingua.errors import ConfigError
from crosslingua.papers.joint_align.experiments import JointAlign
from crosslingua.workflow.results import wanted
from texts import written

CELLS = "paper,table,system,task,source,target,seed,score,metrics,config_hash,where,less,conditions\n"


def test_each_pair_has_a_card_which_its_texts_and_its_languages_name(opened: Opener) -> None:
    w = opened("atlas")
    targets = JointAlign(w).further()
    card = "results/atlas/atlas/cards/{}.json".format
    assert targets["en-hu"] == [card("en-hu.freedict_hu"), card("en_a-hu_b.freedict_hu")]
    assert targets["en_a-hu_b"] == [card("en_a-hu_b.freedict_hu")]
    assert targets["fi-hu"] == [card("fi_a-hu_b.panlex")]
    stated = jobs(w)
    told = stated["card/fi_a-hu_b.panlex"].options
    assert (told["domain"], stated["card/en-de.xling_halves"].options["domain"]) == ("help pages", "novels")
    assert told["command"] == "make atlas TARGETS=fi_a-hu_b"
    assert told["point_of"] is None
    points = [name for name in stated if name.startswith("card/en_n3-hu_n3.")]
    assert points == [f"card/en_n3-hu_n3.freedict_{words}" for words in ("hu", "100", "500")]
    assert {stated[name].options["point_of"] for name in points} == {"en-hu"}
    assert targets["en_n3-hu_n3"] == [card(name.removeprefix("card/")) for name in points]
    assert stated["prepare_dictionary/en_n3-hu_n3.freedict_100"].options["words"] == 100
    assert len(stated["atlas"].options["cards"]) == 43 + 6 + 6 * 3 + 4 * 3
    assert len(JointAlign(w).induced) == 43
    english = "data/libreoffice-help/libreoffice-help-en-us_4_7.4.7-1+deb12u14_all.deb"
    assert english in stated["prepare_text/fi_a"].files()


def test_a_bitext_curve_trains_with_linked_words_of_parallel_text(opened: Opener) -> None:
    w = opened("atlas")
    stated, folder = jobs(w), "results/atlas/corpora/bitext/fi-hu.help_10"
    told = stated["prepare_dictionary/fi_a-hu_b.help_10_panlex"].options
    assert told["bitext"] == [f"{folder}.fi.txt", f"{folder}.hu.txt"]
    assert told["links"] == "results/atlas/word_alignment/bitext/fi-hu.help_10.links"
    assert told["train"] == told["test"] == stated["prepare_dictionary/fi_a-hu_b.panlex"].options["test"]
    card = stated["card/fi_a-hu_b.help_10_panlex"].options
    assert (card["bitext"], card["point_of"]) == (f"{folder}.fi.txt", "fi_a-hu_b")
    assert card["command"] == "make atlas TARGETS=fi_a-hu_b.help_10_panlex"
    targets = JointAlign(w).further()
    assert targets["fi-hu"] == targets["fi_a-hu_b"] == ["results/atlas/atlas/cards/fi_a-hu_b.panlex.json"]


def test_a_dictionary_of_a_bitext_that_is_not_there_is_refused(opened: Opener, tmp_path: Path) -> None:
    columns = "task\tset\tfrom\ttrain\tvalid\ttest\toptions\n"
    line = "dictionary\town\tfile\ta\t\tb\tbitext={source}-{target}.helps\n"
    sheet = str(written(tmp_path / "more.tsv", columns + line))
    with pytest.raises(ConfigError, match=r"more.tsv:2: .*bitext=\{source\}-\{target\}.helps: no line"):
        opened("atlas", {"data": {"sheets": ["scales/atlas.tsv", sheet]}})


def test_the_whole_scale_makes_the_page_and_every_card(opened: Opener) -> None:
    w = opened("atlas")
    for targets in ((), ("all",), ("joint_align",)):
        made = wanted(w, targets).every_product()
        assert {"results/atlas/atlas/atlas.html", "results/atlas/atlas/cards/fi_a-hu_b.panlex.json"} <= {
            *made
        }


def test_a_pair_of_no_domain_is_refused(opened: Opener) -> None:
    change = {"joint_align": {"atlas": {"domains": {"help pages": "*_a-*_b", "novels": "en-*"}}}}
    with pytest.raises(ConfigError, match=r"joint_align.atlas.domains: .*de-fr"):
        opened("atlas", change)


def test_a_card_has_the_answer_the_scores_and_the_statistics(script, tmp_path: Path) -> None:
    """Two systems, three seeds, four test words: `joint` has one right, `procrustes` all, in every run."""
    lines = []
    for system, right, supervision in (("procrustes", 4, "dictionary"), ("joint", 1, "none")):
        for seed in (1, 2, 3):
            ranks = {f"w{n}": 1 if n < right else 7 for n in range(4)}
            results = [
                {
                    "signature": f"csls|identical={kept}|oov=paper",
                    "coverage": 100.0,
                    "ranks": ranks,
                    "spelled_alike": 12.5,
                }
                for kept in ("kept", "dropped")
            ]
            written(tmp_path / f"{system}{seed}.json", json.dumps(results))
            lines += [
                f"joint_align,{table},{system},bli,fi_a,hu_b,{seed},{system}{seed}.json,p_at_1,x,identical={kept},,"
                f"dictionary=toy supervision={supervision} settings=published\n"
                for table, kept in (("table1", "kept"), ("table2", "dropped"))
            ]
    written(tmp_path / "cells.csv", CELLS + "".join(lines))
    written(tmp_path / "a.txt", "w0 w1 w2 , w3 same 7\n")
    written(tmp_path / "b.txt", "v0 v1 v2 same same\n")
    written(tmp_path / "a.tsv", "same\t1\n,\t4\nw0\t1\nw1\t1\nw2\t1\nw3\t1\n")
    written(tmp_path / "b.tsv", ",\t4\nsame\t2\nv0\t1\nv1\t1\nv2\t1\n")
    written(tmp_path / "train", "w0 v0\nw1 v9\n")
    written(tmp_path / "bitext", "a b\nc\nd\n")
    written(tmp_path / "test", "w2 v2\nw3 v3\nsame same\n")
    written(tmp_path / "a.vec", "5 1\nsame 1\nw0 1\nw1 1\nw2 1\nw3 1\n")
    written(tmp_path / "b.vec", "4 1\nsame 1\nv0 1\nv1 1\nv2 1\n")
    script(
        "write_card.py", "--cells", "cells.csv", "--pair", "fi_a-hu_b", "--domain", "toys", "--point-of", "fi-hu",
        "--strategies", "procrustes=aligned", "joint=joint", "--text", "a.txt", "b.txt", "--counts", "a.tsv", "b.tsv",
        "--train", "train", "--test", "test", "--min-count", 1, "--vectors", "a.vec", "b.vec", "--out", "card.json",
        "--bitext", "bitext",
    )  # fmt: skip
    card = json.loads((tmp_path / "card.json").read_text())
    assert (card["languages"], card["dictionary"], card["seeds"]) == (["fi", "hu"], "toy", [1, 2, 3])
    assert card["curve"] == {"of": "fi-hu", "words": 5, "dictionary": 2, "bitext": 3}
    assert card["scores"]["all"] == {
        "procrustes": {"1": 100, "2": 100, "3": 100}, "joint": {"1": 25, "2": 25, "3": 25}
    }  # fmt: skip
    assert card["spelling"] == 12.5
    (condition,) = (one for one in card["conditions"] if one["words"] == "all")
    assert (condition["leader"], condition["leads"]["joint"]["effect"]) == ("aligned", -75)
    found = card["statistics"]
    assert found["text_words"] == [5, 5]
    assert found["type_token_ratio"] == [1.0, 0.8]
    assert found["spelt_alike"] == 30  # one of five and two of five; a comma is no word
    assert (found["train_words"], found["test_words"]) == (1, 2)
