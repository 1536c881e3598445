"""The registries, the folders of papers, and the package where little can be written."""

import collections
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from crosslingua import paper_folders, papers
from crosslingua.errors import ConfigError
from crosslingua.registry import Member, Registry
from texts import written

BROKEN = Member("no_such_module:member", needs=("luck",))
FAMILY = Registry("container", {"ordered": "collections:OrderedDict", "broken": BROKEN})
CODE = """
import crosslingua.word_aligners.symmetrisation as module
print(sum(kernel.stats.cache_misses.total() for kernel in vars(module).values() if hasattr(kernel, "stats")), module)
"""


def test_a_name_gives_the_member_which_is_imported_only_then_and_an_unknown_one_the_closest() -> None:
    assert FAMILY["ordered"] is collections.OrderedDict
    assert (list(FAMILY), FAMILY.module("broken")) == (["ordered", "broken"], "no_such_module")
    assert (FAMILY.needs("ordered"), FAMILY.needs("broken")) == ((), ("luck",))
    with pytest.raises(ModuleNotFoundError):
        FAMILY["broken"]
    message = r"unknown container 'orderd'.*ordered, broken.*did you mean 'ordered'"
    with pytest.raises(ConfigError, match=message):
        FAMILY["orderd"]


def test_compiled_code_runs_where_nothing_can_be_written(repository: Path, tmp_path: Path) -> None:
    package = tmp_path / "src/crosslingua"
    shutil.copytree(repository / "src/crosslingua", package, ignore=shutil.ignore_patterns("__pycache__"))
    for folder in [package, *(path for path in package.rglob("*") if path.is_dir())]:
        (folder / "__pycache__").touch()  # a file where the folder would be: this stops root, too
    caches = ("XDG_CACHE_HOME", "NUMBA_CACHE_DIR")
    env = {key: value for key, value in os.environ.items() if key not in caches}
    env |= {"HOME": "/dev/null", "PYTHONPATH": str(tmp_path / "src")}
    done = subprocess.run([sys.executable, "-c", CODE], env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert str(package) in done.stdout


@pytest.mark.parametrize(("mode", "taken"), [(0o755, True), (0o775, True), (0o777, False), (0o1777, False)])
def test_compiled_code_is_kept_in_no_folder_in_which_others_can_write(
    tmp_path: Path, mode: int, taken: bool
) -> None:
    folder = tmp_path / "numba"
    folder.mkdir()
    folder.chmod(mode)
    code = "import crosslingua, os; print(os.environ['NUMBA_CACHE_DIR'], end='')"
    env = os.environ | {"NUMBA_CACHE_DIR": str(folder)}
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True)
    assert (done.stdout == str(folder)) == taken
    assert not Path(done.stdout).exists() or taken  # a folder of the process alone, which ended


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of a paper of two files."""
    folder = written(tmp_path / "of_two_files/__init__.py", "TITLE = AUTHORS = ''\n").parent
    (folder / "tables.py").write_text("TABLES = {}\n")
    monkeypatch.setattr(papers, "__path__", [*papers.__path__, str(tmp_path)])
    packages = {name: f"crosslingua.papers.{name}" for name in ("joint_align", folder.name)}
    monkeypatch.setattr(paper_folders, "_packages", lambda: packages)
    return folder.name


def test_what_a_small_paper_draws_and_states_is_in_its_tables(small: str) -> None:
    package = f"crosslingua.papers.{small}"
    parts = ("", "figures", "claims", "page", "experiments")
    found = [paper_folders.module_name(small, part) for part in parts]
    assert found == [package, f"{package}.tables", f"{package}.tables", None, None]
    assert paper_folders.load(small, "claims") is paper_folders.load(small, "tables")
    assert paper_folders.load(small, "page") is None


def test_a_file_of_its_own_comes_first_and_an_unknown_paper_is_named() -> None:
    for part in ("figures", "claims"):
        assert paper_folders.module_name("joint_align", part) == f"crosslingua.papers.joint_align.{part}"
    with pytest.raises(ConfigError, match=r"unknown paper 'joint_algin'.*did you mean 'joint_align'"):
        paper_folders.module_name("joint_algin", "claims")
