"""Shared fixtures: the folder of real public files, where there is one; configurations, opened."""

import gc
import os
import resource
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import settings
from threadpoolctl import threadpool_limits

from configurations import Opener
from programs import Ended, run_script

REPOSITORY = Path(__file__).resolve().parent.parent

settings.register_profile("no deadline", deadline=None)  # on a busy machine any example may take long
settings.load_profile("no deadline")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the run of the tiny scale and end with short files, so that no process is left with a long one.

    Beside the run come the workflow's other tests, some of which only wait, and then those that read the run.
    """
    reading = {item.path for item in items if "steps" in item.fixturenames}

    def turn(item: pytest.Item) -> tuple[bool, bool, bool]:
        others = item.path.parent.name != "workflow"
        return item.path.name != "test_tiny.py", others, not others and item.path in reading

    items.sort(key=turn)


def pytest_collection_finish() -> None:
    """Modules and tests stay: looking for garbage among them takes time."""
    gc.freeze()
    gc.set_threshold(100_000)


@pytest.fixture(scope="module", autouse=True)
def plain_arithmetic() -> Iterator[None]:
    """Compute in one thread: several wait for one another on a busy machine, for minutes; bits hang on their number.

    Training makes zeros of denormal numbers for the rest of a process; the next module has them again.
    """
    if torch := sys.modules.get("torch"):
        torch.set_flush_denormal(False)
    with threadpool_limits(1):
        yield


@pytest.fixture
def little_room() -> Iterator[Callable[[int], None]]:
    """A limit on the size of files, 60,000 bytes unless another is set: what is too large fails as on a full disk."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)

    def limit(size: int) -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, limits[1]))

    limit(60_000)
    yield limit
    resource.setrlimit(resource.RLIMIT_FSIZE, limits)


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


@pytest.fixture
def script(repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Ended]:
    """Run a script in a folder, else in `tmp_path`: its name, its arguments, and the status that it is to end with."""

    def call(name: str, *arguments: object, status: int = 0, folder: Path = tmp_path) -> Ended:
        monkeypatch.chdir(folder)
        done = run_script(repository / "scripts" / name, *arguments)
        assert done.status == status, done.stderr
        return done

    return call


@pytest.fixture
def bf16(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compute in bfloat16 where it is asked for, also on a processor where it is slow."""
    monkeypatch.setattr("crosslingua.nn.half.has_bf16", lambda: True)
