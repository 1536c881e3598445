"""A pair of your own without a dictionary, as scales/own.yaml has it: from text to tables and page."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
import yaml

from checkout import Checkout, copy_checkout

pytestmark = pytest.mark.workflow

SENTENCES = 400
# Seconds in place of hours; `joint` and `joint_vr` need no dictionary.
QUICK = {
    "scale": "mine",
    "seeds": [1],
    "dictionaries": {"train": None, "test": None},
    "word_embeddings": {"dim": 8, "epoch": 1, "minCount": 1, "minn": 0, "maxn": 0},
    "joint_align": {"systems": {"vecmap": None, "joint_align_identity": None}},
}


@pytest.fixture(scope="module")
def without_dictionary(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    """A copy in which the paper was run on two small texts."""
    checkout = copy_checkout(repository, tmp_path_factory.mktemp("pair"))
    (checkout.root / "text").mkdir()
    for name in ("swahili", "english"):
        (checkout.root / f"text/{name}.txt").write_text(text(name), encoding="utf-8")
    (checkout.root / "mine.yaml").write_text(yaml.safe_dump(QUICK))
    checkout.run("joint_align", "--configfile", "scales/own.yaml", "mine.yaml", scale="demo")
    return checkout


def text(language: str) -> str:
    """Return sentences of a hundred words, frequent ones first."""
    draw = random.Random(language)
    words = [f"{language[:2]}{number}" for number in range(100)]
    lines = (draw.choices(words, [1 / (i + 1) for i in range(100)], k=8) for _ in range(SENTENCES))
    return "".join(" ".join(line) + "\n" for line in lines)


def test_tables_and_page_come_out_and_say_what_was_left_out(without_dictionary: Checkout) -> None:
    results = without_dictionary.root / "results/mine"
    table = (results / "tables/joint_align_table1.md").read_text()
    assert "mean cosine of the 10,000 most frequent" in table
    assert "Without a dictionary: sw-en; left out there, because they need one: procrustes" in table
    assert not (results / "tables/joint_align_table2.md").exists()
    assert "mean cosine of the 10,000 most frequent" in (results / "report.html").read_text()
