from pathlib import Path

import pytest

from crosslingua.errors import ConfigError
from crosslingua.io.atomic import check_output_folder


@pytest.mark.parametrize("name", [".", "..", "/", "", "../home/.", "../../home"])
def test_the_working_folder_and_those_above_are_refused(tmp_path: Path, monkeypatch, name: str) -> None:
    (tmp_path / "home" / "inside").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "home" if name != "../../home" else tmp_path / "home" / "inside")
    with pytest.raises(ConfigError, match="working folder"):
        check_output_folder(name, ["*"])


def test_a_folder_of_other_files_is_refused_and_one_named(tmp_path: Path) -> None:
    for name in ("config.json", "en.conll", "notes.txt", ".snakemake_timestamp"):
        (tmp_path / name).touch()
    with pytest.raises(ConfigError, match=r"holds notes.txt.*name another folder"):
        check_output_folder(tmp_path, ["config.json", "*.conll"])
    check_output_folder(tmp_path, ["config.json", "*.conll", "notes.txt"])


def test_what_cannot_be_a_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ConfigError, match="file: is a file"):
        check_output_folder(tmp_path / "file", ["*"])
    with pytest.raises(ConfigError, match=r"no folder can be made in it"):
        check_output_folder(tmp_path / "file" / "deep" / "out", ["*"])
    with pytest.raises(ConfigError, match="/proc"):
        check_output_folder("/proc/out", ["*"])


def test_asking_leaves_nothing(tmp_path: Path) -> None:
    check_output_folder(tmp_path / "deep" / "out", [])
    assert list(tmp_path.iterdir()) == []
