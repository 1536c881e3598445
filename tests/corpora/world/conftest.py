"""The shipped world, and small ones for tests that choose parameters."""

from collections.abc import Callable
from pathlib import Path

import pytest

from corpora.world.support import make_world
from crosslingua.corpora.world.realise import World
from crosslingua.corpora.world.spec import load_languages


@pytest.fixture(scope="session")
def world(repository: Path) -> World:
    """The shipped family of languages, seed 1."""
    return World(load_languages(repository / "world.yaml"), 1)


@pytest.fixture(scope="session")
def small_world() -> Callable[..., World]:
    """`make_world`: a small world of the languages given."""
    return make_world


@pytest.fixture
def written(tmp_path: Path) -> Callable[..., Path]:
    """Write blocks to a file and return its path."""

    def write(blocks, name: str = "data") -> Path:
        path = tmp_path / name
        path.write_text("".join(blocks), encoding="utf-8")
        return path

    return write
