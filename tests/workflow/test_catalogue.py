"""What the lists of a configuration make, and what is refused."""

from __future__ import annotations

import copy
from pathlib import Path

import pytest

from crosslingua.catalogue import check_tasks, entry_of, file_sets, pair_languages
from crosslingua.config import load_yaml
from crosslingua.corpora.datasets.registry import load_registry
from crosslingua.errors import ConfigError


@pytest.fixture
def config(repository: Path) -> dict:
    return load_yaml(repository / "config.yaml")


@pytest.fixture(scope="module")
def datasets() -> dict:
    return load_registry()


def test_every_task_has_data_in_the_demo(config: dict) -> None:
    tasks = {made.task for made in file_sets(config)}
    assert tasks == {*config["tasks"], "dictionary"} - {"seed", "derived"}


def test_lists_decide_what_is_made(config: dict) -> None:
    config["tasks"]["ner"]["languages"] = ["ber"]
    made = [made for made in file_sets(config) if made.task == "ner"]
    assert [each.files for each in made] == [
        (f"ner/ber.{split}.conll",) for split in ("train", "valid", "test")
    ]


def test_a_published_set_names_its_files_and_only_its_splits(config: dict) -> None:
    section = config["tasks"]["pos"]
    section["languages"] = ["xx"]
    section["sources"]["xx"] = {"from": "conll2003", "language": "en", "universal": True, "test": "valid"}
    (made,) = [made for made in file_sets(config) if made.task == "pos"]
    assert made.files == ("pos/xx.test.conll",)
    assert made.languages == ("en",)
    assert set(made.inputs) == {("conll2003", "conll2003.zip"), ("universal-tagset", "universal_tagset.zip")}


def test_sizes_are_the_sections_unless_the_entry_has_its_own() -> None:
    section = {"sizes": {"train": 5, "valid": 2, "test": 3}, "sources": {"a": {"from": "world", "test": 9}}}
    assert entry_of(section, "a") == {"from": "world", "train": 5, "valid": 2, "test": 9}


def test_derived_sets_have_the_splits_of_their_parents(config: dict) -> None:
    section = config["tasks"]["nli"]
    section["sources"]["ana_mine"] = {"derived_from": "ana", "transform": "trans"}
    section["languages"] = ["ana_mine"]
    made = [made for made in file_sets(config) if made.task == "nli"]
    assert [each.split for each in made] == ["train", "valid", "test"]


def test_names_of_pairs() -> None:
    assert pair_languages("en-de") == ("en", "de")
    assert pair_languages("en-de.test2016") == ("en", "de")


@pytest.mark.parametrize(
    ("place", "value", "message"),
    [
        ("ner.languages", ["xyz"], "tasks.ner.languages: 'xyz' is not defined"),
        ("text.languages", ["xyz"], "tasks.text.languages: 'xyz' is not defined"),
        ("bitext.pairs", ["ana-xyz"], "tasks.bitext.pairs: 'ana-xyz' is not defined"),
        ("ner.sources.ana", {"from": "conll", "test": "test"}, "no labelled data set 'conll'"),
        ("ner.sources.ana", {"from": "conll2003", "language": "fr", "test": "test"}, "has no 'fr'"),
        ("ner.sources.ana", {"from": "conll2003", "language": "en", "test": "dev"}, "no split 'dev'"),
        (
            "ner.sources.ana",
            {"from": "conll2003", "language": "en", "test": 5},
            "must be the name of a split",
        ),
        ("ner.sources.ana", {"from": "conll2003", "language": "en"}, "no split is named"),
        ("ner.sources.ana", {"from": "world", "test": "test"}, "must be a number of sentences"),
        ("qa.sources.ana", {"from": "conll2003", "language": "en", "test": "test"}, "has no data for qa"),
        ("nli.sources.ana", {"from": "file", "test": "a.tsv"}, "the key 'format' is missing"),
        ("nli.sources.x", {"derived_from": "y", "transform": "trans"}, "derived_from: 'y' is not defined"),
        ("nli.sources.x", {"derived_from": "ana"}, "the key 'transform' is missing"),
        (
            "ner.sources.ana",
            {"from": "file", "format": "conll", "test": "my.conll"},
            "ana_trans_syn: trans_syn needs trees",
        ),
        ("pos.sources.x", {"derived_from": "ana", "transform": "trans_syn"}, "the key 'order_of' is missing"),
        (
            "nli.sources.x",
            {"derived_from": "ana", "transform": "trans_syn", "order_of": "ana_trans"},
            "order_of: the world tells no trees of 'ana_trans'",
        ),
        ("pos.sources.x", {"derived_from": "ana_trans", "transform": "inv"}, "is derived itself"),
        ("bitext.sources.ana-ber", {"from": "tatoeba-v1"}, "the key 'files' is missing"),
        (
            "bitext.sources.ana-ber",
            {"from": "tatoeba-v1", "files": ["x"]},
            "'x' is not defined under data set tatoeba-v1",
        ),
        ("bitext.sources.ana-ber", {"from": "tatoeba", "files": ["x"]}, "did you mean 'tatoeba-v1'"),
    ],
)
def test_what_is_not_there_is_refused(
    config: dict, datasets: dict, place: str, value: object, message: str
) -> None:
    broken = copy.deepcopy(config)
    *keys, last = place.split(".", 2)
    section = broken["tasks"]
    for key in keys:
        section = section[key]
    section[last] = value
    with pytest.raises(ConfigError, match=message):
        check_tasks(broken, datasets)
