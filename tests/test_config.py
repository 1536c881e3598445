from __future__ import annotations

import copy
from pathlib import Path

import pytest
import yaml

from crosslingua.config import check, digest, load_schema, load_yaml
from crosslingua.corpora.datasets.registry import load_registry
from crosslingua.errors import ConfigError, InputError
from crosslingua.workflow import check_references, in_order, lineage_hash


@pytest.fixture(scope="module")
def schema(repository: Path) -> dict:
    return load_schema(repository / "schemas/config.schema.yaml")


@pytest.fixture
def config(repository: Path) -> dict:
    return load_yaml(repository / "config.yaml")


def merged(config: dict, override: dict) -> dict:
    """Snakemake's own way of merging: mappings deeply, everything else replaced."""
    result = copy.deepcopy(config)
    for key, value in override.items():
        if isinstance(value, dict) and isinstance(result.get(key), dict):
            result[key] = merged(result[key], value)
        else:
            result[key] = value
    return result


def test_every_scale_is_valid(repository: Path, config: dict, schema: dict) -> None:
    scales = sorted((repository / "scales").glob("*.yaml"))
    assert {path.stem for path in scales} >= {"tiny", "small", "paper"}
    for path in scales:
        whole = merged(config, load_yaml(path))
        check(whole, schema)
        check_references(whole, load_registry())
        assert whole["scale"] == path.stem


def test_config_yaml_holds_every_key_of_the_schema(config: dict, schema: dict) -> None:
    def missing(section: dict, properties: dict, path: str = "") -> list[str]:
        found = []
        for name, inner in properties.items():
            if name not in section:
                found.append(path + name)
            elif "properties" in inner:
                found += missing(section[name], inner["properties"], f"{path}{name}.")
        return found

    assert missing(config, schema["properties"]) == []


@pytest.mark.parametrize(
    ("override", "message"),
    [
        ({"sedes": [1]}, r"unknown key sedes; allowed here: .*did you mean 'seeds'"),
        ({"seeds": "one"}, r"seeds: 'one' has the wrong type; allowed: array"),
        ({"word_embeddings": {"dim": 0}}, r"word_embeddings\.dim: 0 is less than the minimum of 1"),
        ({"word_embeddings": {"dims": 3}}, r"unknown key word_embeddings\.dims; .*did you mean 'dim'"),
        (
            {"word_embeddings": {"model": "glove"}},
            r"word_embeddings\.model: 'glove' is not allowed; choose one of 'skipgram'",
        ),
        (
            {"joint_align": {"pairs": [{"source": "ana"}]}},
            r"joint_align\.pairs\.0: the key 'target' is missing",
        ),
        ({"vocabulary_reallocation": {"gamma": [1.0]}}, r"vocabulary_reallocation\.gamma\.0"),
    ],
)
def test_a_bad_key_is_named_with_what_is_allowed(
    config: dict, schema: dict, override: dict, message: str
) -> None:
    with pytest.raises(ConfigError, match=message):
        check(merged(config, override), schema)


@pytest.mark.parametrize(
    ("override", "message"),
    [
        (
            {"joint_align": {"pairs": [{"source": "xx", "target": "ber", "dictionary": "world"}]}},
            "'xx' is not defined under languages",
        ),
        (
            {"joint_align": {"pairs": [{"source": "ana", "target": "ber", "dictionary": "no"}]}},
            "'no' is not defined under dictionaries",
        ),
        (
            {"joint_align": {"systems": {"new": {"embeddings": "joint", "mapper": "procrustes2"}}}},
            "unknown mapper 'procrustes2'",
        ),
        ({"languages": {"en": {"from": "wikipedia"}}}, "languages.en: the key 'files' is missing"),
        (
            {"languages": {"en": {"from": "wikipedia", "files": ["x"]}}},
            "languages.en.files: 'x' is not defined under data set",
        ),
        ({"languages": {"en": {"from": "web", "files": ["x"]}}}, "languages.en.from: 'web' is not defined"),
        (
            {"dictionaries": {"d": {"from": "file", "validation_share": 0.1}}},
            "dictionaries.d: the key 'train' is missing",
        ),
        ({"joint_align": {"figure1": {"pair": "ana-ber.muse"}}}, "figure1.pair"),
    ],
)
def test_a_reference_to_nothing_is_named(config: dict, override: dict, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        check_references(merged(config, override), load_registry())


def test_an_overridden_member_keeps_its_place_and_a_new_one_comes_last() -> None:
    assert list(in_order({"b": 2, "new": 3, "a": 1}, {"a": 0, "b": 0, "gone": 0})) == ["a", "b", "new"]


def test_the_hash_follows_what_a_system_depends_on(config: dict) -> None:
    pair = config["joint_align"]["pairs"][0]
    systems = config["joint_align"]["systems"]
    changed = merged(
        config, {"vocabulary_reallocation": {"gamma": [0.6]}, "languages": {"dax": {"sentences": 5}}}
    )
    assert lineage_hash(config, pair, systems["procrustes"]) == lineage_hash(
        changed, pair, systems["procrustes"]
    )
    assert lineage_hash(config, pair, systems["joint_vr"]) != lineage_hash(changed, pair, systems["joint_vr"])


def test_digest_ignores_the_order_of_keys_only() -> None:
    assert digest({"a": 1, "b": [1, 2]}) == digest({"b": [1, 2], "a": 1}) != digest({"a": 1, "b": [2, 1]})


def test_broken_yaml_is_named_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "broken.yaml"
    path.write_text("a: 1\nb: [1,\nc: 2\n")
    with pytest.raises(InputError, match=r"broken\.yaml:4"):
        load_yaml(path)
    path.write_text(yaml.safe_dump([1, 2]))
    with pytest.raises(InputError, match="mapping"):
        load_yaml(path)
