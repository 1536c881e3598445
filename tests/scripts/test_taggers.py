"""embed_words.py and train_tagger.py, called as in their help."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

DATA = "Ada\tB-PER\nsees\tO\nRom\tB-LOC\n\nBo\tB-PER\n\n" * 4


def call(repository: Path, script: str, *options: object) -> subprocess.CompletedProcess:
    command = [sys.executable, repository / "scripts" / script, *options]
    environment = os.environ | {"PYTHONPATH": str(repository / "src")}
    return subprocess.run([*map(str, command)], env=environment, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def made(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with data and their features."""
    folder = tmp_path_factory.mktemp("taggers")
    (folder / "en.conll").write_text(DATA, encoding="utf-8")
    done = call(
        repository, "embed_words.py", "--embedder", "random_vectors", "--set", "dimension=4", "--language", "en",
        "--task", "ner", "--data", folder / "en.conll", "--out", folder / "en.safetensors",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return folder


def test_taggers_of_a_file_of_cells_are_trained(repository: Path, made: Path) -> None:
    files = f"ner/en={made / 'en.conll'},{made / 'en.safetensors'}"
    lines = ["tagger,train,valid,test,set,seed,out"]
    for tagger, settings in (("majority", ""), ("bilstm_crf", "epochs=1 tagger.hidden=4")):
        fields = f"{settings},1 2,{made / tagger}"
        lines.append(f'{tagger},"{files}","{files}","{files}",{fields}')
    (made / "cells.csv").write_text("\n".join(lines) + "\n")
    done = call(repository, "train_tagger.py", "--cells", made / "cells.csv")
    assert done.returncode == 0, done.stderr
    for tagger in ("majority", "bilstm_crf"):
        for seed in (1, 2):
            assert {path.name for path in (made / tagger / f"seed{seed}").iterdir()} == {
                "en.conll",
                "training.json",
            }
            rows = (made / tagger / f"seed{seed}/en.conll").read_text().split("\n")
            assert [row.partition("\t")[0] for row in rows] == [
                row.partition("\t")[0] for row in DATA.split("\n")
            ]


def test_what_is_wrong_is_told_in_a_line(repository: Path, made: Path) -> None:
    wrong = f"ner/en={made / 'en.conll'}"
    done = call(
        repository, "train_tagger.py", "--tagger", "linear", "--train", wrong, "--valid", wrong, "--test", wrong,
        "--seed", "1", "--out", made / "x",
    )  # fmt: skip
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith("error: ")
    assert "after a comma" in done.stderr
