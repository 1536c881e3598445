"""The shipped world, and files of what it writes."""

from collections.abc import Callable
from pathlib import Path

import pytest

import texts
from crosslingua.corpora.world.realise import World
from crosslingua.corpora.world.spec import load_languages


@pytest.fixture(scope="session")
def world(repository: Path) -> World:
    """The shipped family of languages, seed 1."""
    return World(load_languages(repository / "world.yaml"), 1)


@pytest.fixture
def written(tmp_path: Path) -> Callable[..., Path]:
    """Write blocks to a file and return its path."""
    return lambda blocks: texts.written(tmp_path / "data", "".join(blocks))
