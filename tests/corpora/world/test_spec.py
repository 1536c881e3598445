"""The YAML file of languages: accepted values, and errors on other values."""

import re

import pytest
import yaml

from crosslingua.corpora.world.spec import load_languages
from crosslingua.errors import ConfigError, InputError
from texts import written

TOO_NEAR = {"to": "aa", "cognates": 0.8, "false_friends": 0.4}
MINIMAL = {"word_order": "SVO", "syllables": {"onsets": ["b"], "nuclei": ["a"]}}


@pytest.fixture
def load(tmp_path):
    def load(**languages):
        return load_languages(written(tmp_path / "languages.yaml", yaml.safe_dump({"languages": languages})))

    return load


def test_shipped_family_has_the_six_languages(repository):
    family = load_languages(repository / "world.yaml")
    assert list(family) == ["ana", "ber", "cor", "dax", "eno", "fyr"]
    assert family["ana"].word_order == "SVO"
    assert family["dax"].script != family["ana"].script
    assert family["dax"].articles == "none"
    assert not family["dax"].spaces
    assert family["cor"].compounding
    assert family["eno"].resource < 1
    assert family["fyr"].resource < 1
    assert {relation.to for relation in family["fyr"].relations} == {"dax"}


def test_minimal_language_gets_defaults_and_an_unknown_one_is_told_with_the_known_ones(load):
    family = load(aa=MINIMAL, bb=MINIMAL)
    assert family["aa"].adjectives == "before"
    assert family["aa"].morphology.number
    with pytest.raises(ConfigError, match="aa, bb"):
        family["cc"]


@pytest.mark.parametrize(
    ("change", "parts"),
    [
        ({"word_order": "SXV"}, ["languages.xx.word_order", "'SXV'", "'SOV'"]),
        ({"word_ordre": "SOV"}, ["languages.xx.word_ordre", "word_order"]),
        ({"fronting": 2}, ["languages.xx.fronting", "2"]),
        ({"morphology": {"fusion": "none"}}, ["languages.xx.morphology.fusion", "'agglutinating'"]),
        ({"script": "runic"}, ["languages.xx.script", "'georgian'"]),
        ({"compounding": "yes"}, ["languages.xx.compounding", "true or false"]),
    ],
)
def test_an_error_names_the_file_the_key_and_what_is_allowed(load, change, parts):
    with pytest.raises(ConfigError) as error:
        load(xx=MINIMAL | change)
    for part in ["languages.yaml", *parts]:
        assert part in str(error.value)


@pytest.mark.parametrize(
    ("languages", "message"),
    [
        ({"aa": MINIMAL | {"relations": [{"to": "bb"}]}, "bb": MINIMAL}, "'bb' must be a language above it"),
        ({"aa": MINIMAL, "bb": MINIMAL | {"relations": [TOO_NEAR]}}, "sum to 1.2"),
        ({"aa": MINIMAL | {"code_switching": {"zz": {"words": 0.1}}}}, "'zz' must be another language"),
        ({"aa": MINIMAL | {"names": {"identical": 0.7, "adapted": 0.6}}}, "more than 1"),
    ],
)
def test_references_between_languages_are_checked(load, languages, message):
    with pytest.raises(ConfigError, match=re.escape(message)):
        load(**languages)


def test_missing_file_and_broken_yaml(tmp_path):
    with pytest.raises(ConfigError, match="no such file"):
        load_languages(tmp_path / "none.yaml")
    with pytest.raises(InputError, match=r"broken\.yaml:2"):
        load_languages(written(tmp_path / "broken.yaml", "languages: [\n"))
