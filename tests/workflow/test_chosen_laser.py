"""Which LASER a configuration asks for."""

from __future__ import annotations

from pathlib import Path

import pytest

from crosslingua.config import load_yaml
from crosslingua.corpora.datasets.registry import DataSet, load_registry
from crosslingua.encoders.laser.chosen import check_laser, published_laser, trained_laser
from crosslingua.encoders.runs import tokenisers
from crosslingua.errors import ConfigError

NOT_TRAINED = dict.fromkeys(("pivots", "bitext", "test", "vocabulary_size", "settings"))


@pytest.fixture
def config(repository: Path) -> dict:
    return load_yaml(repository / "config.yaml")


@pytest.fixture(scope="module")
def datasets() -> dict[str, DataSet]:
    return load_registry()


def test_the_demo_trains_its_own(config: dict, datasets: dict) -> None:
    check_laser(config, datasets)
    assert trained_laser(config)["pivots"] == ["ana", "ber"]
    assert published_laser(config, datasets) == {}
    assert "laser" in tokenisers(config)


def test_a_published_one_has_three_files_and_needs_no_tokeniser(config: dict, datasets: dict) -> None:
    config["encoders"]["laser"] = {"published": "laser-93langs", **NOT_TRAINED}
    check_laser(config, datasets)
    assert trained_laser(config) is None
    assert published_laser(config, datasets) == {
        "checkpoint": ("laser-93langs", "bilstm.93langs.2018-12-26.pt"),
        "codes": ("laser-93langs", "93langs.fcodes"),
        "vocabulary": ("laser-93langs", "93langs.fvocab"),
    }
    assert "laser" not in tokenisers(config)


def test_a_scale_may_have_none(config: dict, datasets: dict) -> None:
    config["encoders"]["laser"] = None
    check_laser(config, datasets)
    assert (trained_laser(config), published_laser(config, datasets)) == (None, {})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"published": "laser-93langs"},
            "published and pivots, bitext, test, vocabulary_size, settings are given.*set these to null",
        ),
        ({**NOT_TRAINED, "published": "laser"}, r"encoders.laser.published: 'laser' is not .*\(laser-93langs\)"),
        ({**NOT_TRAINED, "published": "squad"}, "'squad' is not defined"),
        (NOT_TRAINED, "pivots, bitext, test, vocabulary_size null: say what to train on"),
        ({"pivots": ["xyz"]}, "encoders.laser.pivots: 'xyz' is not defined under encoders.laser.bitext"),
        ({"bitext": ["ana-xyz"]}, "encoders.laser.bitext: 'ana-xyz' is not defined under tasks.bitext.sources"),
        ({"test": ["ana-xyz"]}, "encoders.laser.test: 'ana-xyz' is not defined under tasks.gold_alignment"),
    ],
)  # fmt: skip
def test_a_wrong_choice_is_told_with_its_key(
    config: dict, datasets: dict, change: dict, message: str
) -> None:
    config["encoders"]["laser"] |= change
    with pytest.raises(ConfigError, match=message):
        check_laser(config, datasets)
