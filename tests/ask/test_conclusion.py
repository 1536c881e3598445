"""Conclusions: what a finished run says, where its files are; and the whole path, on a small drawn world."""

import json
import re
import sys
from pathlib import Path
from urllib.parse import unquote

import numpy as np
import pytest

from checkout import copy_checkout
from corpora.world.support import make_world
from crosslingua.ask.conclusion import _without_dictionary, conclude
from crosslingua.ask.question import PairToAsk, set_earlier_aside
from crosslingua.corpora.world.text import text_blocks
from crosslingua.io.vectors import WordVectors, read_vectors, write_vectors
from crosslingua.lexicon_induction.precision import Estimate
from texts import csv_rows, written

WORDS = 300
SYSTEM = "joint_align_rcsls"


def condition(words: str, low: float, seeds: int = 3) -> dict:
    """`both` leads with 40 % by 10 points over joint, with an interval from `low`."""
    return {
        "pair": "sw-en", "supervision": "dictionary", "words": words, "seeds": seeds, "test_words": 200,
        "leader": "both", "best": "both" if low > 0 else "not told apart",
        "strategies": {
            "joint": {"system": "joint_replace", "value": 30.0, "low": 25.0, "high": 35.0},
            "both": {"system": SYSTEM, "value": 40.0, "low": 35.0, "high": 45.0},
        },
        "comparisons": [{"of": "both", "over": "joint", "effect": 10.0, "low": low, "high": 20.0}],
    }  # fmt: skip


@pytest.fixture
def finished(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> PairToAsk:
    """A finished run of two seeds in which two of three words are translated right, but for chance."""
    monkeypatch.chdir(tmp_path)
    folder = Path("results/ask_sw_en")
    rng = np.random.default_rng(1)
    target = rng.normal(size=(WORDS, 40)).astype(np.float32)
    noise = rng.normal(size=target.shape).astype(np.float32)
    source = target + noise * rng.choice([0.3, 2.5], (WORDS, 1), p=[2 / 3, 1 / 3])
    plan = "source,target\n"
    for seed in (1, 2):
        paths = [folder / f"embedding_alignment/seed{seed}.{side}.vec" for side in ("source", "target")]
        for path, letter, matrix in zip(paths, "st", (source, target), strict=True):
            noise = rng.normal(size=matrix.shape).astype(np.float32) * 0.1
            write_vectors(path, WordVectors([f"{letter}{n}" for n in range(WORDS)], matrix + noise))
        plan += f"{paths[0]},{paths[1]}\n"
    texts = {}
    for side, language in (("s", "sw"), ("t", "en")):
        text = "".join(f"{side}{n} " * (1 + WORDS - n) + "\n" for n in range(WORDS))
        texts[language] = written(tmp_path / f"text.{language}", text)
    pairs = "".join(f"s{n} t{n}\n" for n in range(WORDS))
    written(folder / "corpora/dictionaries/sw-en.own/test.txt", pairs)
    written(folder / f"plans/induce_lexicon/sw-en.own.{SYSTEM}.csv", plan)
    controls = "table,system,value\ncontrols,vecmap,98\ncontrols,vecmap,90\ntable1,vecmap,1\n"
    written(folder / "metrics.csv", controls)
    return PairToAsk(("sw", "en"), (texts["sw"], texts["en"]), tmp_path / "pairs.txt", folder)


def answered(question: PairToAsk, *conditions: dict) -> str:
    (question.folder / "claims.json").write_text(json.dumps({"answer": {"conditions": conditions}}))
    return conclude(question)


def check_page(folder: Path) -> str:
    """Check that the page is one file without requests whose links lead to files; return it."""
    page = (folder / "answer.html").read_text()
    assert not re.search(r"<script|<link|src=|https?:", page)
    linked = [unquote(link) for link in re.findall(r'href="([^"]+)"', page)]
    assert len(linked) == 5
    for link in linked:
        assert link == "report.html" or (folder / link).is_file(), link
    return page


def test_the_best_of_all_systems_is_named_with_its_interval(finished: PairToAsk) -> None:
    finished.folder.joinpath("answer.html").write_text("of before")
    set_earlier_aside(finished)
    told = answered(finished, condition("all", 2.0), condition("not spelt alike", -3.0))
    first, second, *rest = told.splitlines()
    gap = "P@1 40.0 %, +10.0 points [2.0, 20.0] over joint; 200"
    assert first.startswith(f"Of test words that the texts cover: use “both” ({SYSTEM}). {gap}")
    leads = f"these texts cannot tell; “both” ({SYSTEM}) leads"
    assert second.startswith(f"Of test words not spelt alike: {leads}")
    rest = "\n".join(rest)
    assert "45,450 words of sw and 45,450 words of en" in rest  # 1 + ... + 300, and 300 more
    assert "Coverage: 300 of 300 held-out words" in rest
    assert "rank correlation of 1.00" in rest  # translations are equally frequent
    assert "words found again: vecmap 94 %" in rest
    assert "40.0 [35.0, 45.0]" in check_page(finished.folder)
    assert not (finished.folder / "earlier").exists()
    assert json.loads((finished.folder / "recommendation.json").read_text())["system"] == SYSTEM


def test_the_dictionary_has_every_word_and_its_confidence_is_calibrated(finished: PairToAsk) -> None:
    told = answered(finished, condition("all", 2.0))
    rows = csv_rows(finished.folder / "dictionary.tsv", "\t")
    assert [row["source"] for row in rows] == [f"s{n}" for n in range(WORDS)]
    right = np.array([row["target"][1:] == row["source"][1:] for row in rows])
    confidence = np.array([float(row["confidence"]) for row in rows])
    assert 50 < right.sum() < WORDS - 50
    assert confidence[right].mean() > confidence[~right].mean() + 0.3
    assert confidence.mean() == pytest.approx(right.mean(), abs=0.05)
    error = re.search(r"calibrated on 300 held-out entries: .* calibration error is (\d+) points", told)
    assert error
    assert int(error[1]) <= 8


def test_one_run_is_a_look(finished: PairToAsk) -> None:
    assert "One run is a look: a verdict takes three." in answered(finished, condition("all", -1.0, seeds=1))


def test_an_estimate_above_the_first_choice_is_told() -> None:
    estimates = {"joint": Estimate(14, 5, 31), "joint_align_identity": Estimate(9, 3, 22)}
    choice, _ = _without_dictionary(estimates)
    assert "cannot tell; “both” (joint_align_identity) is the first choice" in choice
    assert choice.endswith("that of joint, about 14 %, 90 % interval 5 to 31, but the intervals overlap.")
    choice, _ = _without_dictionary(estimates | {"joint": Estimate(2, 1, 4)})
    assert "highest" not in choice


@pytest.mark.workflow
def test_from_two_texts_to_an_answer_which_an_empty_text_leaves_in_place(repository: Path, tmp_path) -> None:
    checkout = copy_checkout(repository, tmp_path / "checkout")
    world = make_world(aa={}, bb={"relations": [{"to": "aa", "cognates": 0.3, "identical": 0.5}]})
    for code in ("aa", "bb"):
        (tmp_path / f"text.{code}").write_text("".join(text_blocks(world, code, 1500)))
    texts = [f"--source={tmp_path}/text.aa", f"--target={tmp_path}/text.bb"]
    command = [sys.executable, "scripts/ask.py", "--cores", "1", "--seeds", "2", *texts]
    told = checkout.call(command)
    assert re.search(r"\d+ jobs on 1 cores: about ", told)
    assert re.search(r"Without a dictionary: .*Precision of its 5,000 most frequent words: about \d+ %", told)
    folder = checkout.root / "results/ask_aa_bb"
    check_page(folder)
    assert (folder / "report.html").is_file()
    vectors = read_vectors(checkout.root / re.search(r"Vectors of aa .*: (\S+)", told)[1])
    induced = (folder / "dictionary.tsv").read_text().splitlines()
    assert [line.split("\t")[0] for line in induced[1:]] == vectors.words
    empty = written(tmp_path / "text.bb", "")
    assert f"error: {empty}: has no words" in checkout.call(command, ok=False).splitlines()[-1]
    assert (folder / "answer.html").is_file()
    assert not (folder / "earlier").exists()
