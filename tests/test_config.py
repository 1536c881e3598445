"""What identifies a configuration. What one is checked for: tests/workflow."""

from __future__ import annotations

from crosslingua.config import digest


def test_digest_ignores_the_order_of_keys_only() -> None:
    assert digest({"a": 1, "b": [1, 2]}) == digest({"b": [1, 2], "a": 1}) != digest({"a": 1, "b": [2, 1]})
