"""What identifies a configuration, and how it is refused. What one is checked for: tests/workflow."""

import pytest

from crosslingua.config import check, digest
from crosslingua.errors import ConfigError


def test_digest_ignores_the_order_of_keys_only() -> None:
    assert digest({"a": 1, "b": [1, 2]}) == digest({"b": [1, 2], "a": 1}) != digest({"a": 1, "b": [2, 1]})


def test_each_key_that_is_missing_is_named_once() -> None:
    with pytest.raises(ConfigError) as caught:
        check({"a": {}}, {"properties": {"a": {"required": ["x", "y"]}}})
    assert str(caught.value).splitlines()[1:] == [f"  - a: the key {name!r} is missing" for name in "xy"]
