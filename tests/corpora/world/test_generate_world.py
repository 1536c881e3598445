"""The command line: every kind is written, whole, and bad arguments are explained."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from crosslingua.corpora.world.kinds import KINDS
from crosslingua.corpora.world.text import text_blocks
from crosslingua.io.pairs import read_pairs
from crosslingua.tasks import kinds


@pytest.fixture
def generate(repository, tmp_path):
    def run(*arguments):
        command = [sys.executable, repository / "scripts" / "generate_world.py", *map(str, arguments)]
        environment = os.environ | {"PYTHONPATH": str(repository / "src")}
        return subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )

    return run


def test_text_is_that_of_the_library(generate, repository, world, tmp_path):
    options = ("--languages", repository / "world.yaml", "--seed", 1, "--language", "fyr", "--out", "fyr.txt")
    done = generate("text", *options, "--sentences", 250)
    assert done.returncode == 0, done.stderr
    same = (tmp_path / "fyr.txt").read_text(encoding="utf-8") == "".join(text_blocks(world, "fyr", 250))
    assert same
    done = generate("text", *options)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "fyr.txt").read_text(encoding="utf-8").count("\n") == 6000  # 60000 × its resource


def test_every_kind_is_written(generate, repository, tmp_path):
    languages = ("--languages", repository / "world.yaml")
    for kind in set(KINDS) - {"text", "dictionary", "bitext"}:
        done = generate(
            kind,
            *languages,
            "--language",
            "ber",
            "--split",
            "valid",
            "--sentences",
            40,
            "--out",
            f"{kind}.out",
        )
        assert done.returncode == 0, done.stderr
        assert (tmp_path / f"{kind}.out").stat().st_size > 0
    assert len(list(read_pairs(tmp_path / "nli.out", kinds.KINDS["nli"].pairs))) == 40
    done = generate(
        "bitext", *languages, "--source", "ana", "--target", "dax", "--sentences", 30,
        "--out-source", "s", "--out-target", "t", "--out-links", "l",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert [(tmp_path / name).read_text(encoding="utf-8").count("\n") for name in "stl"] == [30, 30, 30]
    outputs = [f"--out-{split}={split}.tsv" for split in ("train", "valid", "test")]
    done = generate("dictionary", *languages, "--source", "ana", "--target", "ber", "--marked", *outputs)
    assert done.returncode == 0, done.stderr
    rows = [line.split("\t") for line in (tmp_path / "test.tsv").read_text(encoding="utf-8").splitlines()]
    assert all((s.lower() == t.lower()) == (mark == "same") for s, t, mark in rows)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--language", "xyz", "--out", "o"], "error: unknown language 'xyz'"),
        (["--language", "ana", "--out", "o", "--languages", "none.yaml"], "none.yaml: no such file"),
        (["--language", "ana", "--out", "o", "--sentences", "-3"], "--sentences"),
    ],
)
def test_bad_arguments_are_explained_and_nothing_is_written(
    generate, repository, tmp_path, arguments, message
):
    done = generate("text", "--languages", repository / "world.yaml", *arguments)
    assert done.returncode != 0
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "o").exists()
