"""The programs of translation, one after another by hand."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from crosslingua.io.vectors import WordVectors, write_vectors

SETTINGS = ["layers=1", "shared_layers=1", "heads=2", "feed_forward=8", "batch_size=4", "epoch_size=8", "epochs=2",
            "validation=4", "max_length=9"]  # fmt: skip


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    rng = np.random.default_rng(1)
    for name, letter in (("en", "a"), ("de", "b")):
        lines = [" ".join(f"{letter.upper()}{w}" for w in rng.integers(5, size=3)) for _ in range(30)]
        (tmp_path / f"{name}.txt").write_text("\n".join(lines) + "\n")
        words = [f"{letter}{i}" for i in range(5)]
        write_vectors(
            tmp_path / f"{name}.vec", WordVectors(words, rng.normal(size=(5, 4)).astype(np.float32))
        )
    return tmp_path


def call(repository: Path, script: str, *options: object) -> subprocess.CompletedProcess:
    command = [sys.executable, repository / "scripts" / script, *options]
    return subprocess.run([*map(str, command)], capture_output=True, text=True, check=False)


def test_by_hand(texts: Path, repository: Path) -> None:
    text, vectors = [texts / "en.txt", texts / "de.txt"], [texts / "en.vec", texts / "de.vec"]
    done = call(repository, "train_translation.py", "--languages", "en", "de", "--text", *text, "--data", "halves",
                "--vectors", *vectors, "--set", *SETTINGS, "--out", texts / "system")  # fmt: skip
    assert done.returncode == 0, done.stderr
    report = json.loads((texts / "system/training.json").read_text())
    assert report["sentences"] == [11, 11]
    assert [each["epoch"] for each in report["epochs"]] == [1, 2]
    done = call(repository, "translate.py", "--system", texts / "system", "--to", "de", "--input", text[0], "--beam", 2,
                "--every-epoch", "--out", texts / "said")  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert sorted(path.name for path in (texts / "said").iterdir()) == [
        "chosen.txt",
        "epoch001.txt",
        "epoch002.txt",
    ]
    done = call(repository, "translate_words.py", "--source", vectors[0], "--target", vectors[1], "--input", text[0],
                "--out", texts / "words.txt")  # fmt: skip
    assert done.returncode == 0, done.stderr
    words = [line.split() for line in (texts / "words.txt").read_text().splitlines()]
    assert len(words) == 30
    assert all(word.startswith("b") for line in words for word in line)
    scoring = ["--reference", text[1], "--source", text[0], "--language", "de"]
    done = call(
        repository,
        "score_translation.py",
        "--hypothesis",
        texts / "said",
        *scoring,
        "--out",
        texts / "s.json",
    )
    assert done.returncode == 0, done.stderr
    found = json.loads((texts / "s.json").read_text())
    assert [each["signature"].rpartition("|")[2] for each in found] == ["epoch=1", "epoch=2", "chosen"]
    done = call(
        repository, "score_translation.py", "--hypothesis", text[1], *scoring, "--out", texts / "one.json"
    )
    one = json.loads((texts / "one.json").read_text())
    assert (one["chrf"], one["sentences"]) == (pytest.approx(100), 30)


def test_errors_name_the_remedy(texts: Path, repository: Path) -> None:
    (texts / "none").mkdir()
    done = call(repository, "score_translation.py", "--hypothesis", texts / "none", "--reference", texts / "en.txt",
                "--source", texts / "en.txt", "--out", texts / "s.json")  # fmt: skip
    assert (done.returncode, "none: holds no translations (make them: translate.py)" in done.stderr) == (
        1,
        True,
    )
    done = call(
        repository,
        "translate_words.py",
        "--source",
        texts / "en.vec",
        "--input",
        texts / "en.txt",
        "--out",
        "x",
    )
    assert (done.returncode, "of neither to copy" in done.stderr) == (1, True)
    done = call(repository, "train_translation.py", "--languages", "en", "de", "--text", texts / "en.txt",
                texts / "de.txt", "--vectors", texts / "en.vec", texts / "de.vec", "--set", *SETTINGS[:-2],
                "validation=20", "--out", texts / "system")  # fmt: skip
    assert done.returncode == 1
    assert "validation=20" in done.stderr
    assert not (texts / "system").exists()
