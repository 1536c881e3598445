"""The files that a script runs: all that Python loads, and no more than Python could load."""

import subprocess
import sys
from pathlib import Path

import pytest

from crosslingua import paper_folders
from crosslingua.errors import ConfigError
from crosslingua.imports import SOURCE_ROOT, project_files
from crosslingua.workflow.jobs import files_of


def loaded_by_running(statement: str) -> set[Path]:
    """The project files that Python itself loads for an import statement."""
    program = (
        f"{statement}\nimport sys\n"
        "print(*(m.__file__ for n, m in sys.modules.items() if n.split('.')[0] == 'crosslingua'), sep='\\n')"
    )
    environment = {"PYTHONPATH": str(SOURCE_ROOT), "PATH": "/usr/bin"}
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    return {Path(line) for line in done.stdout.split()}


@pytest.mark.parametrize("module", ["mappers.procrustes", "metrics", "io.vectors"])
def test_the_analysis_finds_what_python_loads(module: str) -> None:
    found = set(project_files(members=[f"crosslingua.{module}"]))
    assert loaded_by_running(f"import crosslingua.{module}") <= found


def test_a_script_depends_on_its_imports_and_not_on_registry_members(repository: Path) -> None:
    files = project_files(repository / "scripts/align_vectors.py")
    names = {path.relative_to(SOURCE_ROOT).as_posix() for path in files}
    assert {"crosslingua/cli.py", "crosslingua/io/vectors.py", "crosslingua/mappers/__init__.py"} <= names
    assert "crosslingua/mappers/rcsls.py" not in names
    assert not {name for name in names if name.startswith("crosslingua/report/")}


@pytest.mark.parametrize("said", ["", "    from here import the words.\n"])
def test_imports_over_several_lines_and_in_functions_count(tmp_path: Path, said: str) -> None:
    """A line of text that begins as an import does (and is none) makes the whole file be read."""
    script = tmp_path / "script.py"
    script.write_text(
        f'"""Say:\n\n{said}"""\nfrom crosslingua.io import (  # both (of them)\n    json,\n    pairs,\n)\n'
        "import os; import crosslingua.errors\n"
        "def main():\n    from crosslingua.io import conll\n    return conll\n"
    )
    found = {path.relative_to(SOURCE_ROOT / "crosslingua").as_posix() for path in project_files(script)}
    assert {"io/json.py", "io/pairs.py", "errors.py", "io/conll.py"} <= found
    assert "mappers/rcsls.py" not in found


def test_a_member_that_is_not_there_is_named() -> None:
    with pytest.raises(ConfigError, match=r"crosslingua\.mappers\.nothing"):
        project_files(members=["crosslingua.mappers.nothing"])


def test_what_a_rule_depends_on(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(repository)
    plain = files_of("align_vectors.py")
    assert plain[0] == "scripts/align_vectors.py"
    assert all(Path(file).is_file() and not Path(file).is_absolute() for file in plain)
    told = files_of("align_vectors.py", "crosslingua.mappers.rcsls", None)
    assert "src/crosslingua/mappers/rcsls.py" in set(told) - set(plain)


@pytest.mark.parametrize("part", ["tables", "figures", "claims", "page"])
def test_what_runs_in_jobs_never_depends_on_the_configurations_reader(repository: Path, part: str) -> None:
    members = [name for paper in paper_folders.names() if (name := paper_folders.module_name(paper, part))]
    files = {path.relative_to(SOURCE_ROOT).as_posix() for path in project_files(members=members)}
    assert not [file for file in files if file.startswith("crosslingua/workflow/")]
    assert not [file for file in files if file.endswith("/experiments.py")]
