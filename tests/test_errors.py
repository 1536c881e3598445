import pytest

from crosslingua.errors import ConfigError, check_defined, check_given


def message_of(*arguments: object) -> str:
    with pytest.raises(ConfigError) as caught:
        check_defined(*arguments)
    return str(caught.value)


def test_an_undefined_name_is_told_with_its_place_the_legal_names_and_the_closest() -> None:
    assert message_of("tasks.ner.languages", "bre", ["ana", "ber"], "languages") == (
        "tasks.ner.languages: 'bre' is not defined under languages (ana, ber); did you mean 'ber'?"
    )
    several = message_of("key", ["ana", "xx", "yy"], {"ana": {}}, "languages")
    assert several == "key: 'xx' is not defined under languages (ana)"
    none = message_of("key", "ana", [], "languages")
    assert none == "key: 'ana' is not defined under languages (nothing is)"
    check_defined("key", "ana", {"ana": {}}, "languages")
    check_defined("key", [], [], "languages")


def test_a_missing_key_is_told_with_what_asks_for_it() -> None:
    check_given("languages.en", {"path": "x"}, "path", "from: file")
    with pytest.raises(ConfigError, match=r"^languages.en: the key 'path' is missing \(from: file\)$"):
        check_given("languages.en", {}, "path", "from: file")
