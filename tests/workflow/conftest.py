"""Copies of the checkout in which the workflow is run, edited and interrupted."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from filelock import FileLock

from checkout import Checkout, copy_checkout

# In this order: one paper with its ablations; the whole, with those of others and the description of all data.
STEPS = {
    "joint_align": "ablations_joint_align",
    "all": "all ablations_xlm_align ablations_align_mlm data_card",
}


@pytest.fixture(scope="session")
def fresh_checkout(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    """A copy in which nothing has run; for dry runs and errors."""
    return copy_checkout(repository, tmp_path_factory.mktemp("fresh"))


@pytest.fixture(scope="session")
def steps(repository: Path, tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Path:
    """A folder with the copy `finished`, in which the tiny scale has run, and the summaries after each of STEPS.

    It is made once, whatever the number of pytest's processes.
    """
    base = tmp_path_factory.getbasetemp()
    folder = (base if worker_id == "master" else base.parent) / "tiny"
    with FileLock(folder.with_suffix(".lock")):
        if not (folder / "all/metrics.csv").exists():
            shutil.rmtree(folder, ignore_errors=True)
            run_steps(copy_checkout(repository, folder / "finished"), folder)
    return folder


def run_steps(checkout: Checkout, folder: Path) -> None:
    results = checkout.root / "results/tiny"
    for step, targets in STEPS.items():
        checkout.make("tiny", f"TARGETS={targets}", "CORES=2")
        (folder / step).mkdir()
        for path in (*results.glob("*.csv"), *results.glob("*.html")):
            shutil.copy2(path, folder / step)


@pytest.fixture(scope="session")
def finished(steps: Path) -> Checkout:
    """A copy in which the tiny scale has run to its end; tests that edit it work on copies."""
    return Checkout(steps / "finished")


@pytest.fixture(scope="session")
def copied(finished: Checkout, tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    """A copy of the finished run, metadata included."""
    root, results = tmp_path_factory.mktemp("edited") / "copy", finished.root / "results/tiny"

    def copy(source: str, target: str) -> None:
        """Link a result, which runs replace and never write into; copy any other file."""
        (os.link if Path(source).is_relative_to(results) else shutil.copy2)(source, target)

    shutil.copytree(finished.root, root, symlinks=True, copy_function=copy)
    return Checkout(root)


@pytest.fixture
def editable(finished: Checkout, copied: Checkout) -> Iterator[Checkout]:
    """A copy of the finished run to edit; what a test changes or deletes in it is put back."""
    yield copied
    for path in finished.root.rglob("*"):
        own = copied.root / path.relative_to(finished.root)
        if path.is_file() and not (own.exists() and state(own) == state(path)):
            own.parent.mkdir(parents=True, exist_ok=True)
            own.unlink(missing_ok=True)
            shutil.copy2(path, own)


def state(path: Path) -> tuple[int, int]:
    found = path.stat()
    return found.st_size, found.st_mtime_ns
