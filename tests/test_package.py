"""The package: a wheel that is installed without a network answers in an empty folder and writes nowhere else."""

import os
import subprocess
import sys
import zipfile
from importlib.util import find_spec
from pathlib import Path

import pytest

from checkout import copy_checkout
from texts import csv_rows

OF_PROGRAMS = (".pyc", ".nbi", ".nbc")  # Python's and numba's caches


def call(*command: object, folder: Path) -> str:
    """Run a program without this checkout's code; return what it says."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    how = {"cwd": folder, "env": environment, "capture_output": True, "text": True}
    done = subprocess.run([*map(str, command)], **how)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def files(folder: Path) -> set[str]:
    """Return the files below a folder, without caches."""
    every = (path for path in folder.rglob("*") if path.is_file() and path.suffix not in OF_PROGRAMS)
    return {str(path.relative_to(folder)) for path in every}


@pytest.mark.slow
def test_a_wheel_answers_in_an_empty_folder(repository: Path, tmp_path: Path) -> None:
    checkout, empty, venv = (tmp_path / name for name in ("checkout", "empty", "it's a venv"))
    copy_checkout(repository, checkout)
    empty.mkdir()
    before = files(checkout)
    builder = ["--no-build-isolation"] if find_spec("hatchling") else []  # else fetched, as `make setup` does
    build = ["wheel", "--quiet", "--no-deps", *builder, "--wheel-dir", str(tmp_path), str(checkout)]
    subprocess.run([sys.executable, "-m", "pip", *build], check=True)
    (wheel,) = tmp_path.glob("*.whl")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(venv)], check=True)
    (packages,) = venv.glob("lib/python*/site-packages")
    visible = [path for path in sys.path if "-packages" in path]
    (packages / "dependencies.pth").write_text("\n".join(visible))
    into = ["--python", venv / "bin/python", "install", "--quiet", "--no-deps", "--no-index", wheel]
    call(sys.executable, "-m", "pip", *into, folder=empty)
    installed = files(packages)
    assert {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info" not in name} <= installed

    crosslingua = venv / "bin/crosslingua"
    assert call(crosslingua, "--version", folder=empty) == "crosslingua 0.1.0\n"
    assert "align-vectors" in call(crosslingua, "--help", folder=empty)
    for language in ("ana", "ber"):
        text = ("--language", language, "--sentences", 1500, "--out", f"text.{language}")
        call(crosslingua, "generate-world", "text", *text, folder=empty)
    parts = [f"--out-{part}={part}.txt" for part in ("train", "fit", "validation", "test")]
    pair = ["dictionary", "--source", "ana", "--target", "ber"]
    call(crosslingua, "generate-world", *pair, *parts, folder=empty)
    texts = ["--source", "text.ana", "--target", "text.ber", "--languages", "ana", "ber"]
    asked = [*texts, "--dictionary", "train.txt", "--seeds", 1, "--cores", 2, "--results", "out"]
    told = call(crosslingua, "ask", *asked, folder=empty)
    assert "Dictionary of all words: out/ask_ana_ber/dictionary.tsv" in told
    induced = {
        row["source"]: row["target"] for row in csv_rows(empty / "out/ask_ana_ber/dictionary.tsv", "\t")
    }
    given = [line.lower().split() for line in (empty / "train.txt").read_text().splitlines()]
    assert sum(induced.get(source) == target for source, target in given) > 100  # among a thousand candidates

    assert {name.partition("/")[0] for name in files(empty)} == {
        "text.ana", "text.ber", "train.txt", "fit.txt", "validation.txt", "test.txt", "out", ".snakemake"
    }  # fmt: skip
    assert files(packages) == installed
    assert files(checkout) == before
