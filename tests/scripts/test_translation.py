"""The programs of translation, one after another by hand."""

import json
from pathlib import Path

import numpy as np
import pytest

from crosslingua.io.vectors import WordVectors, write_vectors
from programs import call

SETTINGS = ["layers=1", "shared_layers=1", "heads=2", "feed_forward=8", "batch_size=4", "epoch_size=8", "epochs=2",
            "validation=4", "max_length=9"]  # fmt: skip


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    rng = np.random.default_rng(1)
    for name, letter in (("en", "a"), ("de", "b")):
        lines = [" ".join(f"{letter.upper()}{w}" for w in rng.integers(5, size=3)) for _ in range(30)]
        (tmp_path / f"{name}.txt").write_text("\n".join(lines) + "\n")
        words = [f"{letter}{i}" for i in range(5)]
        matrix = rng.normal(size=(5, 4)).astype(np.float32)
        write_vectors(tmp_path / f"{name}.vec", WordVectors(words, matrix))
    return tmp_path


TRAIN = "--languages en de --text en.txt de.txt --vectors en.vec de.vec --out system --set"


def test_by_hand(texts: Path) -> None:
    def run(script: str, arguments: str, *more: str) -> None:
        call(script, *arguments.split(), *more, folder=texts)

    run("train_translation.py", f"--data halves {TRAIN}", *SETTINGS)
    report = json.loads((texts / "system/training.json").read_text())
    assert report["sentences"] == [11, 11]
    assert [each["epoch"] for each in report["epochs"]] == [1, 2]
    run("translate.py", "--system system --to de --input en.txt --beam 2 --every-epoch --out said")
    said = sorted(path.name for path in (texts / "said").iterdir())
    assert said == ["chosen.txt", "epoch001.txt", "epoch002.txt"]
    run("translate_words.py", "--source en.vec --target de.vec --input en.txt --out words.txt")
    words = [line.split() for line in (texts / "words.txt").read_text().splitlines()]
    assert len(words) == 30
    assert all(word.startswith("b") for line in words for word in line)
    scoring = "--reference de.txt --source en.txt --language de"
    run("score_translation.py", f"--hypothesis said {scoring} --out s.json")
    found = json.loads((texts / "s.json").read_text())
    assert [each["signature"].rpartition("|")[2] for each in found] == ["epoch=1", "epoch=2", "chosen"]
    run("score_translation.py", f"--hypothesis de.txt {scoring} --out one.json")
    one = json.loads((texts / "one.json").read_text())
    assert (one["chrf"], one["sentences"]) == (pytest.approx(100), 30)


def test_errors_name_the_remedy(texts: Path) -> None:
    def error(script: str, arguments: str, *more: str) -> str:
        return call(script, *arguments.split(), *more, folder=texts, ok=False)

    (texts / "none").mkdir()
    nothing = "--hypothesis none --reference en.txt --source en.txt --out s.json"
    scored = error("score_translation.py", nothing)
    assert "none: holds no translations (make them: translate.py)" in scored
    assert "of neither to copy" in error("translate_words.py", "--source en.vec --input en.txt --out x")
    assert "validation=20" in error("train_translation.py", TRAIN, *SETTINGS[:-2], "validation=20")
    assert not (texts / "system").exists()
