"""Reading YAML, and what identifies it. What a configuration is checked for: tests/workflow."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from crosslingua.config import digest, load_yaml
from crosslingua.errors import InputError


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
