"""Files and folders are written whole or not at all; pipes, links and devices are written through."""

import os
from pathlib import Path
from threading import Thread

import pytest

from crosslingua.errors import ConfigError
from crosslingua.io.atomic import atomic_folder, atomic_open, atomic_path, check_output_folder, file_name
from texts import written


def test_an_error_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    target = written(tmp_path / "out.txt", "old")
    with pytest.raises(KeyError), atomic_open(target) as stream:
        stream.write("half")
        raise KeyError
    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]


def test_the_file_appears_only_when_whole_and_with_its_folders(tmp_path: Path) -> None:
    target = tmp_path / "new" / "folder" / "out.tsv"
    with atomic_path(target) as temporary:
        temporary.write_text("whole")
        assert temporary.suffix == ".tsv"
        assert not target.exists()
    assert target.read_text() == "whole"
    assert target.stat().st_mode & 0o444 == 0o444


def test_links_pipes_and_devices_stay_what_they_are(tmp_path: Path) -> None:
    (tmp_path / "far").mkdir()
    link, pipe = tmp_path / "link.txt", tmp_path / "pipe"
    link.symlink_to("far/real.txt")
    with atomic_open(link) as stream:
        stream.write("through")
    assert link.is_symlink()
    assert (tmp_path / "far/real.txt").read_text() == "through"
    os.mkfifo(pipe)
    read: list[str] = []
    reader = Thread(target=lambda: read.append(pipe.read_text()))
    reader.start()
    with atomic_open(pipe) as stream:
        stream.write("through")
    reader.join()
    assert read == ["through"]
    assert pipe.is_fifo()
    with atomic_open("/dev/null") as stream:
        stream.write("gone")
    assert Path("/dev/null").is_char_device()


def test_what_a_killed_run_left_is_removed_and_what_another_writes_is_not(tmp_path: Path) -> None:
    target, dead = tmp_path / "text.txt", tmp_path / ".text.txt.abcdefgh.txt"
    others = [tmp_path / ".text.txt", tmp_path / ".text.txt.orig", tmp_path / ".text.txt.notes.txt"]
    for path in (dead, *others):
        path.touch()
    with atomic_path(target) as first:
        with atomic_path(target):
            pass
        assert first.exists()
        assert not dead.exists()
    assert sorted(tmp_path.iterdir()) == sorted([target, *others])


def test_a_folder_is_replaced_as_one(tmp_path: Path) -> None:
    target = written(tmp_path / "model" / "stale", "").parent
    with pytest.raises(KeyError), atomic_folder(target, ["stale"]) as temporary:
        (temporary / "half").touch()
        raise KeyError
    assert [path.name for path in target.iterdir()] == ["stale"]
    with atomic_folder(target, ["stale"]) as temporary:
        (temporary / "fresh").touch()
    assert [path.name for path in target.iterdir()] == ["fresh"]
    assert list(tmp_path.iterdir()) == [target]


def test_a_folder_that_holds_what_the_new_one_lacks_stays(tmp_path: Path) -> None:
    target = written(tmp_path / "model" / "thesis.txt", "").parent
    refused = pytest.raises(ConfigError, match=r"holds thesis.txt.*would be lost")
    with refused, atomic_folder(target) as temporary:
        (temporary / "weights[1]").touch()
    assert [path.name for path in target.iterdir()] == ["thesis.txt"]
    (target / "thesis.txt").rename(target / "weights[1]")
    with atomic_folder(target) as temporary:
        (temporary / "weights[1]").write_text("new")
    assert (target / "weights[1]").read_text() == "new"
    assert list(tmp_path.iterdir()) == [target]


def test_a_link_to_a_folder_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "disk").mkdir()
    (tmp_path / "model").symlink_to(tmp_path / "disk")
    with atomic_folder(tmp_path / "model") as temporary:
        (temporary / "fresh").touch()
    assert (tmp_path / "model").is_symlink()
    assert [path.name for path in (tmp_path / "disk").iterdir()] == ["fresh"]


def test_the_old_folder_comes_back_if_the_new_one_cannot_take_its_place(tmp_path: Path, monkeypatch) -> None:
    target, replace = written(tmp_path / "model" / "old", "").parent, Path.replace

    def fails(self: Path, to: Path) -> Path:
        if (self / "new").exists():
            raise OSError("disk full")
        return replace(self, to)

    monkeypatch.setattr(Path, "replace", fails)
    with pytest.raises(OSError, match="disk full"), atomic_folder(target, ["old"]) as temporary:
        (temporary / "new").touch()
    assert [path.name for path in target.iterdir()] == ["old"]
    assert list(tmp_path.iterdir()) == [target]


def test_leftovers_of_killed_runs_go_but_not_those_of_living_ones(tmp_path: Path) -> None:
    dead, other = tmp_path / ".model.abc_1234", tmp_path / ".model.old.abc_1234"
    for folder in (dead, other):
        written(folder / "half", "")
    with atomic_folder(tmp_path / "model") as living:
        with atomic_folder(tmp_path / "model"):
            pass
        assert not dead.exists()
        assert living.is_dir()
        assert other.is_dir()


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
    check_output_folder(tmp_path / "deep" / "out", [])
    assert not (tmp_path / "deep").exists()


def test_what_cannot_be_a_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ConfigError, match="file: is a file"):
        check_output_folder(tmp_path / "file", ["*"])
    with pytest.raises(ConfigError, match=r"no folder can be made in it"):
        check_output_folder(tmp_path / "file" / "deep" / "out", ["*"])
    with pytest.raises(ConfigError, match="/proc"):
        check_output_folder("/proc/out", ["*"])


@pytest.mark.parametrize("name", ["", ".", "..", ".x", "../x", "a/b", "a\\b", "a\nb", "a\0b", "x" * 151])
def test_a_name_that_leads_to_another_folder_is_refused(name: str) -> None:
    with pytest.raises(
        ConfigError, match=r"^--test: .* can't be the name of a file: write up to 150 letters"
    ):
        file_name(name, "--test")
    assert [file_name(good, "") for good in ("en", "zh-TW", "é b.c")] == ["en", "zh-TW", "é b.c"]
