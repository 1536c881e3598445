"""The command line: every kind is written, whole, and bad arguments are explained."""

import pytest

from crosslingua.corpora.world.kinds import KINDS
from crosslingua.corpora.world.text import text_blocks
from crosslingua.io.pairs import read_pairs
from crosslingua.tasks import kinds


@pytest.fixture
def generate(script, repository):
    languages = ("--languages", repository / "world.yaml")
    return lambda kind, *arguments, status=0: script(
        "generate_world.py", kind, *languages, *arguments, status=status
    )


def test_text_is_that_of_the_library(generate, world, tmp_path):
    options = ("--seed", 1, "--language", "fyr", "--out", "fyr.txt")
    generate("text", *options, "--sentences", 250)
    assert (tmp_path / "fyr.txt").read_text() == "".join(text_blocks(world, "fyr", 250))
    generate("text", *options)
    assert (tmp_path / "fyr.txt").read_text(encoding="utf-8").count("\n") == 6000  # 60000 × its resource


def test_every_kind_is_written(generate, tmp_path):
    for kind in set(KINDS) - {"text", "dictionary", "bitext"}:
        options = ("--language", "ber", "--split", "valid", "--sentences", 40)
        generate(kind, *options, "--out", f"{kind}.out")
        assert (tmp_path / f"{kind}.out").stat().st_size > 0
    assert len(list(read_pairs(tmp_path / "nli.out", kinds.KINDS["nli"].pairs))) == 40
    outs = ("--out-source", "s", "--out-target", "t", "--out-links", "l")
    generate("bitext", "--source", "ana", "--target", "dax", "--sentences", 30, *outs)
    assert [(tmp_path / name).read_text(encoding="utf-8").count("\n") for name in "stl"] == [30, 30, 30]
    splits = ("train", "fit", "validation", "test")
    outputs = [f"--out-{split}={split}.tsv" for split in splits]
    shared = ("dictionary", "--source", "ana", "--target", "ber", *outputs)
    generate(*shared, "--marked")
    train, fit, validation, test = ((tmp_path / f"{split}.tsv").read_text() for split in splits)
    assert train == fit + validation
    rows = [line.split("\t") for line in test.splitlines()]
    assert all((s.lower() == t.lower()) == (mark == "same") for s, t, mark in rows)
    generate(*shared, "--share", 0.1)
    part, few, same, _ = ((tmp_path / f"{split}.tsv").read_text() for split in splits)
    assert part == few
    assert same.split() == [word for line in validation.splitlines() for word in line.split("\t")[:2]]
    assert 0 < part.count("\n") < train.count("\n") / 4
    wrong = generate(*shared, "--share", 0, status=1)
    assert "--share 0.0: must be above 0 and at most 1" in wrong.stderr
    wrong = generate(*shared, "--trainable", 1, status=1)
    assert "--trainable 1.0: must be between 0 and 1" in wrong.stderr


@pytest.mark.parametrize("kind", ["nli", "slots", "qa"])
def test_splits_at_once_are_those_of_each_alone(generate, tmp_path, kind):
    common = (kind, "--language", "ber")
    names = ("train", "valid", "test")
    trees = [f"{name}.trees" for name in names]
    generate(*common, "--split", *names, "--sentences", 30, 20, 25, "--out", *names, "--trees", *trees)
    for name, size in zip(names, (30, 20, 25), strict=True):
        generate(*common, "--split", name, "--sentences", size, "--out", "one", "--trees", "one.trees")
        for suffix in ("", ".trees"):
            assert (tmp_path / f"{name}{suffix}").read_bytes() == (tmp_path / f"one{suffix}").read_bytes()
    short = generate(*common, "--split", "train", "test", "--sentences", 5, "--out", "a", "b", status=1)
    assert "--split, --sentences, --out and --trees must have equally many values" in short.stderr


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["--language", "xyz", "--out", "o"], 1, "error: unknown language 'xyz'"),
        (["--language", "ana", "--out", "o", "--languages", "none.yaml"], 1, "none.yaml: no such file"),
        (["--language", "ana", "--out", "o", "--sentences", "-3"], 2, "--sentences"),
    ],
)
def test_bad_arguments_are_explained_and_nothing_is_written(generate, tmp_path, arguments, status, message):
    done = generate("text", *arguments, status=status)
    assert message in done.stderr
    assert not (tmp_path / "o").exists()
