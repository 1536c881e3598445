"""A user's text and dictionary, in a folder and files with names that a shell would interpret."""

import json
import shutil
from pathlib import Path

import pytest
import yaml

from checkout import Checkout, copy_checkout

pytestmark = pytest.mark.workflow

FOLDER = 'it\'s a "checkout"'
TEXT = {"xx": '-my text; touch "$(touch x)".txt', "yy": "it's `touch y`.txt"}
DICTIONARY = "$(touch z) {source}-{target} %s;touch z.txt"


@pytest.fixture(scope="module")
def own(finished: Checkout, repository: Path, tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    """A copy that made joint_align's tables of the world's text and dictionary, given as if they were yours."""
    checkout = copy_checkout(repository, tmp_path_factory.mktemp("own") / FOLDER)
    corpora = finished.root / "results/tiny/corpora"
    for language, world in (("xx", "ana"), ("yy", "ber")):
        shutil.copy2(corpora / f"text/{world}.txt", checkout.root / TEXT[language])
    for split in ("train", "test"):
        name = (DICTIONARY % split).replace("{source}", "xx").replace("{target}", "yy")
        shutil.copy2(corpora / f"dictionaries/ana-ber.world/{split}.txt", checkout.root / name)
    tiny = yaml.safe_load((repository / "scales/tiny.yaml").read_text())
    systems = yaml.safe_load((repository / "config.yaml").read_text())["joint_align"]["systems"]
    kept = ("procrustes", "joint_align_procrustes")
    mine = {
        "scale": "mine",
        "papers": ["joint_align"],
        "seeds": [1],
        "pairs": ["xx-yy"],
        "languages": {name: {"path": path, "tokeniser": "whitespace"} for name, path in TEXT.items()},
        "dictionaries": {split: DICTIONARY % split for split in ("train", "test")},
        "data": {"mirror": '"$(touch x)" `touch y`', "folder": "`touch z`"},
        "joint_align": {
            "systems": dict.fromkeys(name for name in systems if name not in kept),
            "table3": None,
            "translation": None,
        },
    } | {key: tiny[key] for key in ("word_embeddings", "vocabulary_reallocation", "lexicon_induction")}
    (checkout.root / "-my own's.yaml").write_text(yaml.safe_dump({k: v or None for k, v in mine.items()}))
    checkout.make("run", "CONFIG=./-my own's.yaml", "TARGETS=joint_align", "MIRROR=it's nowhere")
    return checkout


def test_everything_arrives_and_nothing_is_executed(own: Checkout) -> None:
    results = own.root / "results/mine"
    for name in ("metrics.csv", "claims.csv", "report.html", "costs.csv", "tables/joint_align_table1.md"):
        assert (results / name).stat().st_size > 0
    assert not {path.name for path in own.root.iterdir()} & {"x", "y", "z", "x.txt", "z.txt"}


def test_numbers_are_those_of_the_same_text_by_another_name(own: Checkout, finished: Checkout) -> None:
    place = "lexicon_induction/{}/supervised/procrustes/seed1.json"
    mine = json.loads((own.root / "results/mine" / place.format("xx-yy.own")).read_text())
    world = json.loads((finished.root / "results/tiny" / place.format("ana-ber.world")).read_text())
    for one, other in zip(mine, world, strict=True):
        for key in ("p_at_1", "p_at_10", "n_queries", "signature"):
            assert one[key] == other[key]
