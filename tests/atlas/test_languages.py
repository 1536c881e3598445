"""Facts of languages and their distance by descent."""

import pytest

from atlas_cards import HELP
from crosslingua.atlas.languages import distance, facts, languages
from crosslingua.errors import ConfigError


def test_facts_are_those_of_the_table() -> None:
    assert facts("eu") == {"name": "Basque", "family": "Basque", "branch": "Basque", "script": "Latin"}
    assert [facts(code)["script"] for code in ("ru", "el", "ko")] == ["Cyrillic", "Greek", "Hangul"]
    assert set(HELP) <= set(languages())
    assert {tuple(row) for row in languages().values()} == {("name", "family", "branch", "script")}
    assert len({facts(code)["family"] for code in HELP}) == 6


@pytest.mark.parametrize(
    ("a", "b", "apart"),
    [("fi", "fi", 0), ("fi", "et", 0), ("fi", "hu", 1), ("en", "ru", 1), ("eu", "es", 2), ("tr", "hu", 2)],
)
def test_distance_is_by_branch_then_family(a: str, b: str, apart: int) -> None:
    assert distance(a, b) == distance(b, a) == apart


def test_an_unknown_code_is_refused_with_what_to_add() -> None:
    with pytest.raises(ConfigError, match=r"'xx' are known.*add its name, family, branch and script to lang"):
        facts("xx")
