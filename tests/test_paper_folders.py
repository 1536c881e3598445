"""A paper's files by name: existing files, and tables.py in place of optional files."""

from pathlib import Path

import pytest

from crosslingua import paper_folders, papers
from crosslingua.errors import ConfigError
from texts import written


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of a paper of two files."""
    folder = written(tmp_path / "of_two_files/__init__.py", "TITLE = AUTHORS = ''\n").parent
    (folder / "tables.py").write_text("TABLES = {}\n")
    monkeypatch.setattr(papers, "__path__", [*papers.__path__, str(tmp_path)])
    monkeypatch.setattr(paper_folders, "names", lambda: ("joint_align", folder.name))
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
