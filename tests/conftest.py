"""Shared fixtures: the folder of real public files, where there is one; configurations, opened."""

import os
from pathlib import Path

import pytest

from configurations import Opener

REPOSITORY = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def mirror() -> Path:
    """The mirror of public data sets: $CROSSLINGUA_MIRROR, or ../shared/mirror beside the repository."""
    folder = Path(os.environ.get("CROSSLINGUA_MIRROR", REPOSITORY.parent / "shared" / "mirror"))
    if not folder.is_dir():
        if os.environ.get("CI"):
            pytest.fail(f"no mirror of the public data sets at {folder}, and CI must have one")
        pytest.skip(f"no mirror of the public data sets at {folder} (set CROSSLINGUA_MIRROR)")
    return folder


@pytest.fixture(scope="session")
def repository() -> Path:
    """The root of the checkout under test."""
    return REPOSITORY


@pytest.fixture
def opened(repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Opener:
    """Open a scale's configuration with changes over it, in a folder of its own that has the files it names."""
    opener = Opener(repository, tmp_path / "workflow")
    monkeypatch.chdir(opener.folder)
    return opener
