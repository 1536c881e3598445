"""What `crosslingua doctor` finds: folders, packages, and the data sets of a mirror."""

from pathlib import Path

import pytest

from crosslingua import doctor
from crosslingua.corpora.datasets.registry import load_registry
from texts import written


class Usage:
    """Three gigabytes of the folder that is there, none of any other."""

    def __init__(self, path: Path):
        self.free = 3 * 2**30 if path.is_dir() else 0


def test_what_is_here_and_what_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CROSSLINGUA_RESULTS", "far/out")
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hub"))
    monkeypatch.setattr(doctor, "find_spec", lambda name: name not in ("jieba", "torch"))
    monkeypatch.setattr(doctor.shutil, "which", lambda name: None)
    monkeypatch.setattr(doctor.shutil, "disk_usage", Usage)
    monkeypatch.setattr(doctor.os, "access", lambda path, mode: path != tmp_path)
    monkeypatch.setattr(doctor, "has_bf16", lambda: False)
    found = dict(doctor.findings(str(tmp_path / "mirror")))
    assert found["bf16 instructions"].startswith("none: what asks for bf16 computes in fp32")
    assert (found["GPU"], found["Not installed"]) == ("none", "jieba (Chinese), torch (crosslingua[all])")
    monkeypatch.setattr(doctor.shutil, "which", lambda name: name)
    assert dict(doctor.findings())["GPU"] == "NVIDIA's driver is here, but torch is not installed"
    assert found["Results"] == f"{tmp_path}/far/out: 3 GB free, but the folder cannot be written"
    assert found["Published models"] == f"{tmp_path}/hub: none yet"
    assert found["Mirror"].startswith(f"{tmp_path}/mirror: 0 of ")


def test_a_mirror_counts_the_data_sets_that_are_whole(tmp_path: Path) -> None:
    known = load_registry()
    whole = next(name for name, row in known.items() if len(row.files) == 1)
    part = next(name for name, row in known.items() if len(row.files) > 1)
    for name in (whole, part):
        written(tmp_path / name / next(iter(known[name].files)), "")
    found = dict(doctor.findings(str(tmp_path)))["Mirror"]
    assert found == f"{tmp_path}: 1 of {len(known)} data sets with all their files"
    found = dict(doctor.findings("https://example.org/sets"))["Mirror"]
    assert found == "https://example.org/sets: an address, which is not looked into"
