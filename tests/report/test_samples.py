"""Samples on the results page, of files written by hand: what is right, wrong and not found."""

import json
from pathlib import Path
from typing import Any

import pytest

from configurations import Opener, job
from crosslingua.io.json import write_json
from crosslingua.report.page.samples import drawn, samples

GOLD = "Ada\tB-PER\nsaw\tO\nParis\tB-LOC\n\nnobody\tO\n\n"
SAID = "Ada\tB-LOC\nsaw\tB-PER\nParis\tO\n\nnobody\tO\n\n"


@pytest.fixture
def shown(tmp_path: Path) -> Any:
    """Return a function that writes files and returns the one sample of them; a `None` is not written."""

    def made(kind: str, files: dict[str, str], systems: dict[str, str | None], **told: Any) -> list[dict]:
        for name, text in (files | systems).items():
            if text is not None:
                (tmp_path / name).write_text(text)
        paths = {name: str(tmp_path / name) for name in files}
        return samples([{
            "kind": kind, "pair": "ana-ber", "seed": 1, **told, **paths,
            "systems": {name: str(tmp_path / name) for name in systems},
        }])  # fmt: skip

    return made


def test_tags_are_right_wrong_or_missed(shown: Any) -> None:
    (found,) = shown("spans", {"gold": GOLD}, {"mine": SAID, "gone": None}, task="ner")
    told = [found[name] for name in ("title", "kind", "pair", "seed")]
    assert told == ["Named entities", "tagged", "ana-ber", 1]
    (item,) = found["items"]  # a sentence without an entity shows nothing
    assert item["rows"] == {
        "gold": [("Ada", "B-PER", ""), ("saw", "", ""), ("Paris", "B-LOC", "")],
        "mine": [("Ada", "B-LOC", "wrong"), ("saw", "B-PER", "wrong"), ("Paris", "O", "missed")],
    }
    assert shown("spans", {"gold": GOLD}, {"gone": None}, task="ner") == []


def test_links_are_right_wrong_or_missed(shown: Any) -> None:
    """1p0 is possible only: right where it is chosen, and not missed where it is not."""
    files = {"source": "a b c\n", "target": "x y z\n", "gold": "0-0 1p0 2-2\n"}
    (found,) = shown("links", files, {"one": "1-0 0-1\n", "two": "0-0 2-2\n"}, task="word_alignment")
    (item,) = found["items"]
    assert item["grids"]["one"] == [["missed", "wrong", ""], ["right", "", ""], ["", "", "missed"]]
    assert item["grids"]["two"] == [["right", "", ""], ["", "", ""], ["", "", "right"]]


def test_answers_are_right_or_wrong(shown: Any) -> None:
    asked = {"id": "q", "question": "Who?", "answers": [{"text": "Ada", "answer_start": 0}]}
    gold = json.dumps({"data": [{"title": "t", "paragraphs": [{"context": "Ada saw.", "qas": [asked]}]}]})
    said = {"one": '{"q": "ada"}', "two": '{"q": "saw"}'}
    (found,) = shown("questions", {"gold": gold}, said, task="xquad")
    (item,) = found["items"]
    assert item["rows"] == {"one": ("ada", "right"), "two": ("saw", "wrong")}
    assert (found["title"], item["question"], item["right"]) == ("XQuAD", "Who?", "Ada")


def test_of_translations_words_are_wrong_that_the_reference_lacks(tmp_path: Path) -> None:
    texts = {"source": "A b c d e .\nshort .\n", "reference": "x y .\ns .\n", "joint": "x Z y\nz\n"}
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    told = {"direction": "ana-ber", "seed": 1, "samples": 5, "least": 5, "most": 14}
    brief = tmp_path / "brief.json"
    write_json(brief, told | {"files": {name: str(tmp_path / name) for name in texts}})
    (found,) = samples([{"kind": "translations", "brief": str(brief)}])
    (item,) = found["items"]
    assert item["rows"]["joint"] == [("x", "", ""), ("z", "", "wrong"), ("y", "", "")]
    write_json(brief, told | {"files": {name: str(tmp_path / f"no {name}") for name in texts}})
    assert samples([{"kind": "translations", "brief": str(brief)}]) == []


def test_a_seed_draws_the_same_places_again_and_others_draw_others() -> None:
    assert drawn(1, range(100)) == drawn(1, range(100)) != drawn(2, range(100))
    assert drawn(1, [4, 9]) == [4, 9]


def test_samples_are_of_what_scores_are_made_of(opened: Opener) -> None:
    """Each paper's page shows predictions of one seed and direction, beside the gold data that they are scored on."""
    w = opened("tiny")
    told = {paper: each["samples"] for paper, each in job(w, "page").brief.items() if "samples" in each}
    kinds = {paper: {(each["kind"], each.get("task", "")) for each in found} for paper, found in told.items()}
    assert {("links", "word_alignment"), ("questions", "xquad"), ("tags", "pos")} <= kinds["xlm_align"]
    assert kinds["joint_align"] == {("spans", "ner"), ("translations", "")}
    assert ("spans", "slots") in kinds["mbert_align"]
    (entities,) = (each for each in told["joint_align"] if each.get("task") == "ner")
    assert entities["gold"] == "results/tiny/corpora/ner/ber.test.conll"
    assert {"align", "joint", "target_language"} <= entities["systems"].keys()
    lines = job(w, "score_predictions/joint_align.main").lines
    scored = {(line["gold"], line["hypothesis"]) for line in lines}
    assert {(entities["gold"], path) for path in entities["systems"].values()} <= scored
