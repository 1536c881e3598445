"""The command line: every kind is written, whole, and bad arguments are explained."""

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
    splits = ("train", "fit", "validation", "test")
    outputs = [f"--out-{split}={split}.tsv" for split in splits]
    done = generate("dictionary", *languages, "--source", "ana", "--target", "ber", "--marked", *outputs)
    assert done.returncode == 0, done.stderr
    rows = [line.split("\t") for line in (tmp_path / "test.tsv").read_text(encoding="utf-8").splitlines()]
    assert all((s.lower() == t.lower()) == (mark == "same") for s, t, mark in rows)
    train, fit, validation, _ = ((tmp_path / f"{split}.tsv").read_text(encoding="utf-8") for split in splits)
    assert train == fit + validation
    shared = ("dictionary", *languages, "--source", "ana", "--target", "ber", *outputs)
    assert generate(*shared, "--share", 0.1).returncode == 0
    part, few, same, _ = ((tmp_path / f"{split}.tsv").read_text(encoding="utf-8") for split in splits)
    assert part == few
    assert same.split() == [word for line in validation.splitlines() for word in line.split("\t")[:2]]
    assert 0 < part.count("\n") < train.count("\n") / 4
    wrong = generate(*shared, "--share", 2)
    assert "--share 2.0: must be above 0 and at most 1" in wrong.stderr
    wrong = generate(*shared, "--trainable", 1)
    assert "--trainable 1.0: must be between 0 and 1" in wrong.stderr


@pytest.mark.parametrize("kind", ["nli", "slots", "qa"])
def test_splits_at_once_are_those_of_each_alone(generate, repository, tmp_path, kind):
    common = (kind, "--languages", repository / "world.yaml", "--language", "ber")
    names = ("train", "valid", "test")
    together = generate(
        *common, "--split", *names, "--sentences", 30, 20, 25, "--out", *names,
        "--trees", *(f"{name}.trees" for name in names),
    )  # fmt: skip
    assert together.returncode == 0, together.stderr
    for name, size in zip(names, (30, 20, 25), strict=True):
        alone = generate(
            *common, "--split", name, "--sentences", size, "--out", "one", "--trees", "one.trees"
        )
        assert alone.returncode == 0, alone.stderr
        for suffix in ("", ".trees"):
            assert (tmp_path / f"{name}{suffix}").read_bytes() == (tmp_path / f"one{suffix}").read_bytes()
    short = generate(*common, "--split", "train", "test", "--sentences", 5, "--out", "a", "b")
    assert short.returncode == 1
    assert "--split, --sentences, --out and --trees must have equally many values" in short.stderr


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
