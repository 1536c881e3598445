"""The package: a wheel that is installed without a network answers in an empty folder and writes nowhere else."""

import os
import subprocess
import sys
import tomllib
import zipfile
from importlib.metadata import packages_distributions, requires
from importlib.util import find_spec
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from checkout import copy_checkout
from crosslingua.errors import OF_EXTRAS
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


CORE = """
import sys
from importlib.machinery import PathFinder

import numpy as np

others, find = {*sys.argv.pop().split(",")}, PathFinder.find_spec
PathFinder.find_spec = lambda name, path=None, target=None: None if name in others else find(name, path, target)

import crosslingua as cl
from crosslingua.command import main
from crosslingua.doctor import findings
from crosslingua.lexicon_induction import retrieval

words = [f"w{number}" for number in range(50)]
vectors = words, np.random.default_rng(0).normal(size=(50, 8)).astype(np.float32)
for mapper in ("procrustes", "iterative_norm", "geomm", "rcsls"):
    mapped = cl.map_vectors(vectors, vectors, [(word, word) for word in words[:40]], mapper)
print((cl.induce_lexicon(mapped.source, mapped.target)["target"] == words).mean())
retrieval._engine(20_000, np.empty((20_000, 300), np.float32), 10, "cpu")  # torch would screen here
print(sorted(cl.word_align(["a b", "a", "b c"] * 5, ["x y", "x", "y z"] * 5)[0]))
print(cl.score_alignment([{(0, 0)}], [{(0, 0)}])["aer"])
try:
    cl.ask("a.txt", "b.txt")
except Exception as error:
    print(error)
print({"snakemake (crosslingua[all])", "torch (crosslingua[all])"} < {*dict(findings())["Not installed"].split(", ")})
print(main(["demo", "-n"]))
"""


def test_methods_need_no_extra(repository: Path, tmp_path: Path) -> None:
    pending = tomllib.loads((repository / "pyproject.toml").read_text())["project"]["dependencies"]
    core: set[str] = set()
    while pending:
        needed = Requirement(pending.pop())
        name = canonicalize_name(needed.name)
        if name not in core and (not needed.marker or needed.marker.evaluate({"extra": ""})):
            core.add(name)
            pending += requires(name) or []
    core.add("crosslingua")
    owners = packages_distributions().items()
    others = [module for module, names in owners if not core & {*map(canonicalize_name, names)}]
    assert {*OF_EXTRAS} <= {*others}
    done = subprocess.run(
        [sys.executable, "-c", CORE, ",".join(others)], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.stdout.splitlines() == [
        "1.0", "[(0, 0), (1, 1)]", "0.0",
        "ask: the package jinja2 is not installed: pip install 'crosslingua[all]'", "True", "1",
    ], done.stderr  # fmt: skip
    assert done.stderr.endswith(
        "demo: the package snakemake is not installed: pip install 'crosslingua[all]'\n"
    )
