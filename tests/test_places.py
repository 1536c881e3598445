"""Where files are: of the suite in a checkout and in a package, of the user where the user stands."""

import subprocess
from pathlib import Path

import pytest

from crosslingua import imports, places, provenance
from crosslingua.errors import ConfigError


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of an installed package, which has the suite's files beside its code."""
    monkeypatch.setattr(imports, "SOURCE_ROOT", tmp_path / "site-packages")
    (tmp_path / "site-packages/crosslingua/suite").mkdir(parents=True)
    return tmp_path / "site-packages"


def test_files_of_a_checkout_have_their_names_in_it_and_absolute_ones_elsewhere(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    above = repository.parent
    for folder, start in ((repository, ""), (above, f"{repository.name}/"), (tmp_path, f"{repository}/")):
        monkeypatch.chdir(folder)
        assert places.suite("scripts/ask.py") == f"{start}scripts/ask.py"
        assert places.suite("") == start
        assert places.code("crosslingua/report/page/") == f"{start}src/crosslingua/report/page/"
    assert not places.is_packed()


def test_an_installed_package_has_the_suite_beside_its_code(package: Path) -> None:
    assert places.is_packed()
    assert places.suite("Snakefile") == f"{package}/crosslingua/suite/Snakefile"
    assert places.code("crosslingua/cli.py") == f"{package}/crosslingua/cli.py"


def test_results_are_where_the_user_stands_or_asks_for_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(places.RESULTS, "")
    assert places.results() == "results"
    for given, folder in (("out/", "out"), ("/scratch/my.results", "/scratch/my.results"), ("/", "/")):
        places.choose_results(given)
        assert places.results() == folder
    for refused in ("", "my results", "{x}", "--cores", "it's"):
        with pytest.raises(ConfigError, match="write a folder without blanks"):
            places.choose_results(refused)
    assert places.results() == "/"


def test_the_version_of_a_package_is_of_no_repository_around_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    subprocess.run(["git", "init", "--quiet", str(tmp_path)], check=True)
    package = tmp_path / "venv/site-packages/crosslingua"
    package.mkdir(parents=True)
    monkeypatch.setattr(provenance, "__file__", str(package / "provenance.py"))
    provenance.code_version.cache_clear()
    assert provenance.code_version() == provenance.__version__
    provenance.code_version.cache_clear()
